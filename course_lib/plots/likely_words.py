"""The likeliest words at one place of a text, as bars under the text."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from course_lib.plots import style

BLANK = "___"
ROOM = 46  # letters above a panel


class LikelyWords:
    """One panel: a line of text, bars, and the words beside them.

    Args:
        shown: how many words get a bar of their own; the others share one.
        mark: what stands behind the word that the text had.
    """

    def __init__(self, axes: Axes, title: str, shown: int, mark: str = "said"):
        self.shown, self.mark = shown, mark
        axes.set(xlim=(0, 1.45), ylim=(shown + 0.6, -1.3), title=title, yticks=[])
        axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        axes.set_xlabel("probability")
        axes.spines["left"].set_visible(False)
        self.context = axes.text(0, -0.85, "", fontsize=10, va="center", family="monospace")
        rows = range(shown + 1)
        self.bars = [axes.add_patch(Rectangle((0, row - 0.32), 0, 0.64)) for row in rows]
        self.labels = [axes.text(0, row, "", fontsize=10, va="center") for row in rows]

    def update(self, context: str, probabilities: Mapping[str, float], word: str) -> list:
        """Show other words; returns the artists that changed."""
        self.context.set_text(context)
        for i, (name, p) in enumerate(ranked(probabilities, word, self.shown)):
            said = bool(word) and name == word
            self.bars[i].set(width=p, facecolor=style.V if said else style.Q)
            text = f"{name}  {_percent(p)}" if name else ""
            self.labels[i].set(text=f"{text}  ({self.mark})" if said else text, x=p + 0.02)
            self.labels[i].set_fontweight("bold" if said else "normal")
        return [self.context, *self.bars, *self.labels]


def ranked(probabilities: Mapping[str, float], said: str, shown: int) -> list[tuple[str, float]]:
    """The likeliest words, the one that was said among them, and the rest in one row."""

    def place(pair):
        word, p = pair
        return -round(p, 9), word != said, word

    all_ranked = sorted(probabilities.items(), key=place)
    rows = all_ranked[:shown]
    if said and said not in dict(rows):
        rows[-1:] = [(said, probabilities.get(said, 0.0))]
    rest = [pair for pair in all_ranked if pair not in rows]
    rows += [("", 0.0)] * (shown - len(rows))
    rows.append((f"{len(rest)} others", sum(p for _, p in rest)) if rest else ("", 0.0))
    return rows


def around(before: list[str], after: list[str]) -> str:
    """The words on both sides of a blank, as many as there is room for."""
    left, right = " ".join([*before, BLANK]), " ".join(after)
    return f"{end_of(left, ROOM // 2)} {start_of(right, ROOM // 2)}"


def end_of(text: str, room: int = ROOM) -> str:
    """The end of a text, from the start of a word."""
    return text if len(text) <= room else "… " + text[-room:].partition(" ")[2]


def start_of(text: str, room: int = ROOM) -> str:
    """The start of a text, to the end of a word."""
    return text if len(text) <= room else text[:room].rpartition(" ")[0] + " …"


def _percent(p: float) -> str:
    """A probability in per cent, with a decimal where none would leave 0."""
    return f"{p:.1%}" if 0 < p < 0.01 else f"{p:.0%}"
