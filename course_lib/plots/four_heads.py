"""Four heads on one story: a tag under each word, the answer in a frame, and two sets of bars."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from course_lib.plots import style

PER_ROW, N_ROWS = 13, 7  # words of a row; rows for the longest story
FACES = {
    "person": (style.Q, 0.3), "place": (style.V, 0.3), "object": (style.VALIDATION, 0.45),
}  # fmt: skip
PLAIN = ("#FFFFFF", 1.0)


def draw(fig, data):
    """Draw a ``FourHeads``: the story above, the claim and the sentence below."""
    grid = fig.add_gridspec(2, 2, height_ratios=(3.4, 1))
    story = _Story(fig.add_subplot(grid[0, :]))
    pair = _Bars(fig.add_subplot(grid[1, 0]), list(data.pair), "claim")
    single = _Bars(fig.add_subplot(grid[1, 1]), list(data.single), "sentence")
    handles = [Patch(facecolor=face, label=tag) for tag, face in FACES.items()]
    handles.append(Patch(facecolor="white", edgecolor="black", linewidth=2.5, label="answer"))
    fig.legend(handles=handles, loc="outside upper right", ncols=4)

    def update(data):
        story.update(data)
        pair.update(data.claim, data.pair)
        single.update(data.sentence, data.single)
        return None

    update(data)
    return update


class _Story:
    """The words in rows of cells, as many as the longest story needs."""

    def __init__(self, axes: Axes):
        self.axes = axes
        axes.set(xlim=(0, PER_ROW), ylim=(N_ROWS, -0.05), xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        self.cells, self.words = [], []
        for i in range(PER_ROW * N_ROWS):
            row, column = divmod(i, PER_ROW)
            self.cells.append(axes.add_patch(Rectangle((column + 0.03, row + 0.08), 0.94, 0.84)))
            middle = {"ha": "center", "va": "center", "fontsize": 10}
            self.words.append(axes.text(column + 0.5, row + 0.5, "", **middle))

    def update(self, data) -> None:
        """Write these words, colour their tags and frame the answer."""
        self.axes.set_title(f"question: {data.question}", fontsize=10.5)
        for i, (cell, text) in enumerate(zip(self.cells, self.words, strict=True)):
            there = i < len(data.words)
            tag = data.tags[i] if there else ""
            # The face is half transparent, the frame is not.
            colour, alpha = FACES.get(tag, PLAIN)
            cell.set_facecolor((*_rgb(colour), alpha))
            inside = data.answer[0] <= i < data.answer[1]
            cell.set_edgecolor("black" if inside else style.FAINT)
            cell.set(linewidth=2.5 if inside else 0.8, visible=there, zorder=2 if inside else 1)
            text.set(text=data.words[i] if there else "", zorder=3)


class _Bars:
    """How likely each answer is."""

    def __init__(self, axes: Axes, names: list[str], what: str):
        self.axes, self.what = axes, what
        axes.set(xlim=(0, 1.2), xticks=[0, 0.5, 1], yticks=range(len(names)), yticklabels=names)
        axes.set_xticklabels(["0%", "50%", "100%"])
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        self.bars = axes.barh(range(len(names)), [0] * len(names), height=0.65, color=style.V)
        self.labels = [style.label_line(axes, 0, row, "", "black") for row in range(len(names))]

    def update(self, text: str, shares: Mapping[str, float]) -> None:
        """Show these shares under this text."""
        self.axes.set_title(f"{self.what}: {text}", fontsize=10.5)
        for row, (bar, label) in enumerate(zip(self.bars, self.labels, strict=True)):
            share = list(shares.values())[row]
            bar.set_width(share)
            label.xy = (share, row)
            label.set_text(f"{share:.0%}")


def _rgb(colour: str) -> tuple[float, float, float]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def say(data) -> str:
    """What each head says, in one sentence each."""
    answer = " ".join(data.words[slice(*data.answer)]) or "no word"
    tagged = list(zip(data.words, data.tags, strict=True))
    named = {tag: dict.fromkeys(word for word, its in tagged if its == tag) for tag in FACES}
    found = "; ".join(f"{tag}: {', '.join(words) or 'none'}" for tag, words in named.items())
    pair, single = (max(shares, key=shares.get) for shares in (data.pair, data.single))
    return (
        f"Claim {data.claim!r}: {pair} ({data.pair[pair]:.0%}). "
        f"Sentence {data.sentence!r}: {single} ({data.single[single]:.0%}). "
        f"Question {data.question!r}: {answer!r}. Tags: {found}."
    )
