"""A mask, the shares that softmax makes under it, and what one token can know: a still picture."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.plots import style


class Painted(NamedTuple):
    """What the picture needs.

    ``levels`` has one row for the input and one for each layer: True where the output of the
    chosen token draws on that position.  Shares of an empty row are NaN, and ``nan`` tells, in
    the shape of ``levels``, where the stack is.
    """

    words: list[str]
    scores: list[list[float]]
    visible: list[list[bool]]
    shares: list[list[float]]
    levels: list[list[bool]]
    nan: list[list[bool]]
    chosen: int


def draw(fig: Figure, data: Painted):
    """Three panels: the scores that are left, the shares, and the ways to the chosen token."""
    scores, shares, ways = fig.subplots(1, 3)

    def update(data: Painted) -> None:
        for axes in (scores, shares, ways):
            axes.clear()
        _draw_cells(scores, data, "score + mask", _score_cell)
        _draw_cells(shares, data, "share of the attention", _share_cell)
        _draw_ways(ways, data)

    update(data)
    return update


def say(data: Painted) -> str:
    """What the chosen token reads, and what it can know after all layers."""
    word, row = data.words[data.chosen], data.shares[data.chosen]
    if row[0] != row[0]:
        return f"“{word}” may read nothing: its shares are NaN, for −∞ − (−∞) has no answer."
    seen = zip(data.words, row, data.visible[data.chosen], strict=True)
    read = ", ".join(f"{name} {_percent(share)}" for name, share, on in seen if on)
    known = [name for name, on in zip(data.words, data.levels[0], strict=True) if on]
    n_layers = len(data.levels) - 1
    layers = "1 layer" if n_layers == 1 else f"{n_layers} layers"
    end = f"it can know {len(known)} of {len(data.words)}: {', '.join(known)}."
    if data.nan[-1][data.chosen]:
        end = "it is NaN, because a row of the mask is empty."
    return f"“{word}” reads {read}. After {layers} {end}"


def _draw_cells(axes: Axes, data: Painted, title: str, cell) -> None:
    n = len(data.words)
    axes.set(xlim=(0, n), ylim=(n, 0), title=title)
    axes.set_xticks([i + 0.5 for i in range(n)], data.words)
    axes.set_yticks([i + 0.5 for i in range(n)], data.words)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.get_yticklabels()[data.chosen].set_fontweight("bold")
    for i in range(n):
        for j in range(n):
            colour, strength, text = cell(data, i, j)
            box = {"facecolor": (colour, strength), "edgecolor": style.FAINT}
            axes.add_patch(Rectangle((j, i), 1, 1, **box))
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=10)


def _score_cell(data: Painted, i: int, j: int) -> tuple[str, float, str]:
    if data.visible[i][j]:
        return style.Q, 0.45, f"{data.scores[i][j] + 0.0:.1f}".replace("-", "−")
    return style.Q, 0.0, "−∞"


def _share_cell(data: Painted, i: int, j: int) -> tuple[str, float, str]:
    share = data.shares[i][j]
    if share != share:
        return style.GREY, 0.2, "NaN"
    return style.ACCENT, 0.6 * share, _percent(share) if share else "0"


def _draw_ways(axes: Axes, data: Painted) -> None:
    n, top = len(data.words), len(data.levels) - 1
    axes.set(xlim=(-0.7, n - 0.3), ylim=(-0.4, top + 0.4))
    axes.set_title(f"what “{data.words[data.chosen]}” can know")
    axes.set_xticks(range(n), data.words)
    axes.set_yticks(range(top + 1), ["input", *(f"layer {k}" for k in range(1, top + 1))])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for level in range(1, top + 1):
        for i in (i for i in range(n) if data.levels[level][i]):
            for j in (j for j in range(n) if data.visible[i][j] or i == j):
                dash = "-" if data.visible[i][j] else ":"
                axes.plot([i, j], [level, level - 1], dash, color=style.GREY, linewidth=1)
    for level, row in enumerate(data.levels):
        for i, on in enumerate(row):
            _draw_node(axes, i, level, on, data.nan[level][i])
    axes.plot(data.chosen, top, "o", markersize=17, color=style.TRAIN, fillstyle="none")


def _draw_node(axes: Axes, x: int, y: int, on: bool, nan: bool) -> None:
    if nan:
        axes.text(x, y, "NaN", ha="center", va="center", fontsize=10,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
        return
    axes.plot(x, y, "o", markersize=10 if on else 5, color=style.V if on else style.GREY,
              fillstyle="full" if on else "none")  # fmt: skip


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%"  # halves go up, as in JavaScript
