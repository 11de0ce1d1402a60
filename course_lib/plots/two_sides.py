"""The likeliest words at one place of a story: from the words before it, and from both sides."""

from matplotlib.patches import Rectangle

from course_lib.plots import style

SHOWN = 6  # words
BLANK = "___"
ROOM = 46  # letters above a panel


def draw(fig, data):
    """Draw a ``TwoSides``: two panels of bars, each with the text that its reader has seen."""
    panels = fig.subplots(1, 2)
    sides = [
        _Side(panels[0], "only the words before: next token"),
        _Side(panels[1], "all the other words: fill-mask"),
    ]

    def update(data):
        word = data.words[data.place]
        left = " ".join([*data.words[: data.place], BLANK])
        right = " ".join(data.words[data.place + 1 :])
        around = f"{_end(left, ROOM // 2)} {_start(right, ROOM // 2)}"
        return [
            *sides[0].update(_end(left, ROOM), data.before, word),
            *sides[1].update(around, data.both, word),
        ]

    update(data)
    return update


class _Side:
    """One panel: a line of text, bars, and the words beside them."""

    def __init__(self, axes, title: str):
        axes.set(xlim=(0, 1.45), ylim=(SHOWN + 0.6, -1.3), title=title, yticks=[])
        axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        axes.set_xlabel("probability")
        axes.spines["left"].set_visible(False)
        self.context = axes.text(0, -0.85, "", fontsize=10.5, va="center", family="monospace")
        self.context.set_fontsize(10)
        rows = range(SHOWN + 1)
        self.bars = [axes.add_patch(Rectangle((0, row - 0.32), 0, 0.64)) for row in rows]
        self.labels = [axes.text(0, row, "", fontsize=10, va="center") for row in rows]

    def update(self, context: str, probabilities, word: str) -> list:
        """Show another place; returns the artists that changed."""
        self.context.set_text(context)
        for i, (name, p) in enumerate(_rows(probabilities, word)):
            said = name == word
            self.bars[i].set(width=p, facecolor=style.V if said else style.Q)
            text = f"{name}  {p:.0%}" if name else ""
            self.labels[i].set(text=f"{text}  (said)" if said else text, x=p + 0.02)
            self.labels[i].set_fontweight("bold" if said else "normal")
        return [self.context, *self.bars, *self.labels]


def _rows(probabilities, said: str) -> list[tuple[str, float]]:
    """The likeliest words, the one that was said among them, and the rest in one row."""

    def place(pair):
        word, p = pair
        return -round(p, 9), word != said, word

    ranked = sorted(probabilities.items(), key=place)
    rows = ranked[:SHOWN]
    if said not in dict(rows):
        rows[-1] = (said, probabilities[said])
    rest = [pair for pair in ranked if pair not in rows]
    rows += [("", 0.0)] * (SHOWN - len(rows))
    rows.append((f"{len(rest)} others", sum(p for _, p in rest)) if rest else ("", 0.0))
    return rows


def _end(text: str, room: int) -> str:
    """The end of a text, from the start of a word."""
    return text if len(text) <= room else "… " + text[-room:].partition(" ")[2]


def _start(text: str, room: int) -> str:
    """The start of a text, to the end of a word."""
    return text if len(text) <= room else text[:room].rpartition(" ")[0] + " …"


def say(data) -> str:
    """Say what each reader gives to the word that was said."""
    word = data.words[data.place]
    return (
        f"Place {data.place + 1} of {len(data.words)}, where the story says {word!r}: from the "
        f"words before it {data.before[word]:.1%} (one of {len(data.before)} possible words), "
        f"from both sides {data.both[word]:.1%} (one of {len(data.both)})."
    )
