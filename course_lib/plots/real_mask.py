"""The likeliest pieces for the gaps of a real text: a table of words, wider bars for likelier."""

from textwrap import fill

from matplotlib.patches import Rectangle

from course_lib.plots import style

GAPS = 3  # that are shown; a text may have more
SHOWN = 5


def draw(fig, data):
    """Draw a ``RealMask``: the text above, and bars for each of the first gaps."""
    text = fig.suptitle("", x=0.01, ha="left", fontsize=10.5)
    panels = [_Gap(axes) for axes in fig.subplots(1, GAPS)]

    def update(data):
        text.set_text(fill(_readable(data), 110))
        for i, panel in enumerate(panels):
            rows = data.answers[i] if i < len(data.answers) else ()
            panel.update(f"gap {i + 1}" if rows else "", rows)

    update(data)
    return update  # whole panels come and go, so all is drawn anew


class _Gap:
    """Bars for one gap."""

    def __init__(self, axes):
        self.axes = axes
        axes.set(xlim=(0, 1.6), ylim=(SHOWN - 0.4, -1.2), yticks=[])
        axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        axes.spines["left"].set_visible(False)
        self.title = axes.text(0, -0.9, "", fontsize=10.5)
        self.bars = [axes.add_patch(Rectangle((0, y - 0.32), 0, 0.64)) for y in range(SHOWN)]
        self.labels = [axes.text(0, y, "", fontsize=10, va="center") for y in range(SHOWN)]

    def update(self, title: str, rows) -> None:
        self.axes.set_visible(bool(rows))
        self.title.set_text(title)
        rows = [*rows, *[("", 0.0)] * (SHOWN - len(rows))]
        for bar, label, (piece, p) in zip(self.bars, self.labels, rows, strict=True):
            bar.set(width=p, facecolor=style.V)
            label.set(text=f"{piece}  {p:.0%}" if piece else "", x=p + 0.02)


def _readable(data) -> str:
    """The pieces without special tokens, gaps numbered."""
    number = {place: f"[{i + 1}]" for i, place in enumerate(data.gaps)}
    inner = range(1, len(data.pieces) - 1)
    return " ".join(number.get(i, data.pieces[i]) for i in inner).replace(" ##", "")


def say(data) -> str:
    """The likeliest piece of each gap."""
    parts = [
        f"gap {i + 1}: {row[0][0]!r} with {row[0][1]:.0%}" for i, row in enumerate(data.answers)
    ]
    return f"Likeliest, {'; '.join(parts)}."
