"""The next word: probabilities before and after a cut as bars, and some ways to go on.

What a slider moves is little, so that the figure follows at once: letters are what costs most.
"""

from textwrap import fill

import numpy as np

from course_lib.plots.style import FAINT, GREY, Q

_GAP = 0.015
_WIDTH = 54  # letters in a line of text
_LINES = 15  # of text that the right half has room for


def draw(fig, data):
    """Draw the bars on the left, the beginnings and the continuations on the right."""
    axes, texts = fig.subplots(1, 2, width_ratios=[1, 1.15])
    rows = np.arange(len(data.words))
    outer, inner = _bars(axes, rows, 0.8, FAINT), _bars(axes, rows, 0.45, Q)
    names = [axes.text(_GAP, row, "", va="center_baseline", fontsize=10) for row in rows]
    axes.set(xlim=(0, 1.3), ylim=(len(rows) - 0.4, -0.6), yticks=[])
    axes.set_xlabel("probability of the next word")
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title("grey: before the cut, blue: after")
    places, below = _write_beginnings(texts, data.beginnings)
    (mark,) = texts.plot([0, 0], [0, 0], color=Q, linewidth=4, solid_capstyle="butt")
    words = texts.text(0.03, below + 0.5, "", va="top", linespacing=1.9)

    def update(data):
        before, after = np.asarray(data.before), np.asarray(data.after)
        for bars, lengths in ((outer, before), (inner, after)):
            bars.set_data(_with_gaps(lengths))
        for name, word, b, a in zip(names, data.words, before, after, strict=True):
            name.set_x(max(a, b) + _GAP)
            name.set_text(f"{word}  {a:.0%}" if a >= 0.005 else word)
            name.set_color("black" if a > 0 else GREY)
        mark.set_ydata(places[data.beginnings.index(data.beginning)])
        lines = [fill(f"{i}.  ... {text}", _WIDTH) for i, text in enumerate(data.continuations, 1)]
        words.set_text("\n".join(lines))
        return [outer, inner, *names, mark, words]

    update(data)
    return update


def say(data) -> str:
    """Say how many words are left, and what they had before."""
    words = "word" if data.n_kept == 1 else "words"
    return (
        f"At temperature {data.temperature:g}, {data.cut}: {data.n_kept} {words} can be drawn, "
        f'with {data.kept:.1%} of the probability; "{data.words[0]}" gets '
        f"{float(np.asarray(data.after)[0]):.1%}."
    )


def _bars(axes, rows, height, colour):
    """All bars as one artist, which is drawn as quickly as one bar."""
    edges = np.stack([rows - height / 2, rows + height / 2], 1).ravel()
    return axes.stairs(
        np.zeros(len(edges) - 1), edges, orientation="horizontal", fill=True, color=colour
    )


def _with_gaps(lengths):
    """The lengths of the bars, with nothing between two of them."""
    steps = np.zeros(2 * len(lengths) - 1)
    steps[::2] = lengths
    return steps


def _write_beginnings(axes, beginnings) -> tuple[list[tuple[float, float]], float]:
    """Write all beginnings, which stand still; where each one stands, and what is below them."""
    axes.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(_LINES, 0))
    axes.set_title("the text so far, and three ways to go on")
    axes.spines[:].set_visible(False)
    places, line = [], 0.0
    for beginning in beginnings:
        written = fill(f"{beginning} ...", _WIDTH)
        axes.text(0.03, line, written, va="top", linespacing=1.35)
        n_lines = 1 + written.count("\n")
        places.append((line, line + n_lines - 0.1))
        line += n_lines + 0.8
    return places, line
