"""A query among keys in the plane, the weights it gives, and the weighted sum of the values."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots import style

Point = tuple[float, float]


class ByHand(NamedTuple):
    """What the picture needs; one key, value, score and weight for each word."""

    query: Point
    keys: list[Point]
    values: list[Point]
    words: list[str]
    scores: list[float]
    weights: list[float]
    output: Point
    limit: float


def draw(fig: Figure, data: ByHand):
    """Three panels: query and keys, scores and weights, values and their weighted sum."""
    plane, scores, weights, values = fig.subplots(1, 4, width_ratios=[2.6, 2.3, 1.7, 2.6])

    def update(data: ByHand) -> None:
        for axes in (plane, scores, weights, values):
            axes.clear()
        _draw_plane(plane, data)
        _draw_bars(scores, data, data.scores, "score", style.GREY, _fixed)
        _draw_bars(weights, data, data.weights, "share", style.ACCENT, _percent)
        scores.margins(x=0.55)  # room for the numbers
        scores.axvline(0, color=style.TRAIN, linewidth=0.8)
        weights.set(xlim=(0, 1.4))
        weights.set_xticks([0, 1], ["0%", "100%"])
        weights.set_yticklabels([])
        _draw_values(values, data)

    update(data)
    return update


def say(data: ByHand) -> str:
    """The word that gets most of the weight, and what comes out."""
    best = max(range(len(data.words)), key=lambda i: data.weights[i])
    return (
        f"The query {_point(data.query)} gives “{data.words[best]}”"
        f" {_percent(data.weights[best])} of the attention (score {_fixed(data.scores[best])});"
        f" the output is {_point(data.output)}."
    )


def _draw_plane(axes: Axes, data: ByHand) -> None:
    _empty_plane(axes, data.limit, "query and keys")
    for word, key in zip(data.words, data.keys, strict=True):
        _arrow(axes, key, style.K, word)
    _arrow(axes, data.query, style.Q, "query", width=3)


def _draw_values(axes: Axes, data: ByHand) -> None:
    _empty_plane(axes, data.limit, "values and output (bold)")
    for word, value, weight in zip(data.words, data.values, data.weights, strict=True):
        _arrow(axes, value, style.V, word, alpha=0.4 + 0.6 * weight)
    _arrow(axes, data.output, style.TRAIN, "", width=3)


def _draw_bars(
    axes: Axes, data: ByHand, lengths: list[float], title: str, colour: str, number: Callable
) -> None:
    bars = axes.barh(data.words, lengths, color=colour, height=0.6)
    axes.bar_label(bars, [number(length) for length in lengths], padding=3)
    axes.invert_yaxis()
    axes.set_title(title)


def _empty_plane(axes: Axes, limit: float, title: str) -> None:
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal", title=title)
    axes.set_xticks(axes.get_yticks())
    axes.axhline(0, color=style.GREY, linewidth=0.8)
    axes.axvline(0, color=style.GREY, linewidth=0.8)


def _arrow(
    axes: Axes, tip: Point, colour: str, word: str, width: float = 2, alpha: float = 1.0
) -> None:
    axes.annotate(
        "", tip, (0, 0),
        arrowprops={
            "arrowstyle": "-|>", "color": colour, "linewidth": width, "alpha": alpha,
            "shrinkA": 0, "shrinkB": 0, "mutation_scale": 13,
        },
    )
    inside = np.clip(tip, -0.8 * axes.get_xlim()[1], 0.8 * axes.get_xlim()[1])
    axes.annotate(
        word, inside, (8 if tip[0] >= 0 else -8, 4 if tip[1] >= 0 else -4),
        textcoords="offset points", ha="center",
        va="bottom" if tip[1] >= 0 else "top", fontsize=10,
    )


def _fixed(number: float) -> str:
    return f"{0 if abs(number) < 0.005 else number:.2f}"


def _point(point: Point) -> str:
    return f"({_fixed(point[0])}, {_fixed(point[1])})"


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%"  # halves go up, as in JavaScript
