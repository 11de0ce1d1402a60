"""An ablation: what each change brings alone, and what undoing it costs; a dot for each seed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.style import FAINT, GREY, Q, V, label_line

Losses = Sequence[float]


def draw(fig: Figure, data: Any) -> None:
    """Two panels of one scale: the reference plus one change, the recipe minus one.

    Args:
        data: losses of several seeds: ``reference`` and ``recipe`` themselves, and the variants
            ``added`` to the one and ``removed`` from the other, each with ``name`` and ``losses``.
    """
    rows = [{"reference": data.reference, **{f"+ {v.name}": v.losses for v in data.added}},
            {"the whole recipe": data.recipe, **{v.name: v.losses for v in data.removed}}]
    left, right = fig.subplots(1, 2)
    left.set_title("reference + a change")
    right.set_title("recipe − a change")
    fig.supxlabel("held-out loss (nats per byte)")
    for axes, colour, named in zip((left, right), (Q, V), rows, strict=True):
        _rows(axes, named, colour)
    every = [[loss for losses in named.values() for loss in losses] for named in rows]
    span = max(max(losses) - min(losses) for losses in every) or 1.0
    for axes, losses in zip((left, right), every, strict=True):  # the numbers need the room
        axes.set_xlim(min(losses) - 0.1 * span, min(losses) + 1.35 * span)


def _rows(axes: Axes, named: Mapping[str, Losses], colour: str) -> None:
    """A row for each variant: its seeds as dots, its median as a number; the first is a line."""
    first = float(np.median(next(iter(named.values()))))
    axes.axvline(first, color=GREY, linestyle=(0, (4, 3)), linewidth=1.2)
    for row, losses in enumerate(named.values()):
        axes.axhline(row, color=FAINT, linewidth=1, zorder=0)
        axes.plot(losses, [row] * len(losses), "o", color=colour, markersize=6)
        number = label_line(axes, max(losses), row, f"{np.median(losses):.3f}", "black")
        number.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})  # over both lines
    axes.set(yticks=range(len(named)), yticklabels=list(named), ylim=(len(named) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)


def say(data: Any) -> str:
    """The medians of the two ends, and the largest effect of a single change on each side."""
    text = (
        f"Held-out loss in nats per byte, medians: reference {np.median(data.reference):.3f}, "
        f"the whole recipe {np.median(data.recipe):.3f}."
    )
    if data.added:
        best = min(data.added, key=lambda v: np.median(v.losses))
        text += f" Alone, {best.name} brings most: {np.median(best.losses):.3f}."
    if data.removed:
        worst = max(data.removed, key=lambda v: np.median(v.losses))
        text += f" Undone, it is worst with {worst.name}: {np.median(worst.losses):.3f}."
    return text
