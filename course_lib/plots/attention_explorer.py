"""One head on one text: lines from each token to those it reads, and the same as a map."""

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.plots import style

FAINTEST = 0.02  # a share below this gets no line


class Head(NamedTuple):
    """What the picture needs: one head, or the mean of a layer's heads.

    ``shares[i][j]`` is what query i gives to key j; ``layer`` and ``head`` are counted from 1,
    and ``head`` is None for the mean.  ``written`` tells that shares are of attention times
    length.
    """

    tokens: list[str]
    shares: np.ndarray
    query: int
    layer: int
    head: int | None
    written: bool


def draw(fig: Figure, data: Head):
    """Lines on the left, the map on the right."""
    lines, cells = fig.subplots(1, 2, width_ratios=(1, 1.15))

    def update(data: Head) -> None:
        lines.clear()
        cells.clear()
        _draw_lines(lines, data)
        _draw_map(cells, data)

    update(data)
    return update


def say(data: Head) -> str:
    """What the chosen token reads most."""
    row = data.shares[data.query]
    first = sorted(range(len(row)), key=lambda j: -row[j])[:3]
    told = ", ".join(f"“{data.tokens[j]}” {_percent(row[j])}" for j in first)
    verb = "is written from" if data.written else "reads"
    return f"{_where(data)}: “{data.tokens[data.query]}” {verb} {told}."


def _where(data: Head) -> str:
    head = "mean of all heads" if data.head is None else f"head {data.head}"
    return f"Layer {data.layer}, {head}"


def _draw_lines(axes: Axes, data: Head) -> None:
    """Queries on the left, keys on the right; a stronger line for a larger share."""
    n = len(data.tokens)
    axes.set(xlim=(-0.9, 1.9), ylim=(n - 0.4, -1.6), title=_where(data))
    axes.set_axis_off()
    axes.text(-0.03, -1, "query", ha="right", va="center", color=style.Q)
    axes.text(1.03, -1, "key", ha="left", va="center", color=style.AS_TEXT[style.K])
    for i, row in enumerate(data.shares):
        chosen = i == data.query
        for j in np.flatnonzero(row >= FAINTEST):
            strength = row[j] if chosen else 0.25 * row[j]
            axes.plot([0, 1], [i, j], color=style.K, alpha=float(min(1, strength)),
                      linewidth=1 + 3 * row[j], solid_capstyle="butt")  # fmt: skip
    for i, token in enumerate(data.tokens):
        weight = "bold" if i == data.query else "normal"
        axes.text(-0.03, i, token, ha="right", va="center", fontsize=10, fontweight=weight)
        axes.text(1.03, i, token, ha="left", va="center", fontsize=10)


def _draw_map(axes: Axes, data: Head) -> None:
    """A row for each query, a column for each key, a frame around the chosen row."""
    n = len(data.tokens)
    axes.imshow(data.shares, cmap=style.SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(n), data.tokens, rotation=90)
    axes.set_yticks(range(n), data.tokens)
    axes.get_yticklabels()[data.query].set_fontweight("bold")
    axes.tick_params(length=0)
    of = "attention times length" if data.written else "attention"
    axes.set_title(f"share of {of}: 0 dark, 1 light")
    axes.add_patch(Rectangle((-0.5, data.query - 0.5), n, 1, fill=False, edgecolor=style.VALIDATION,
                             linewidth=2))  # fmt: skip


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%"  # halves go up, as in JavaScript
