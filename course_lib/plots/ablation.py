"""An ablation: what each change brings alone, and what its absence costs; a dot for each seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.style import FAINT, GREY, Q, V, label_line

Losses = Sequence[float]


@dataclass(frozen=True)
class Ablation:
    """Losses of several seeds each.

    Attributes:
        reference, recipe: the two ends.
        alone: the reference with one change.
        without: the recipe with one change undone, named by what stands in its place.
        unit: of the losses.
    """

    reference: Losses
    recipe: Losses
    alone: Mapping[str, Losses]
    without: Mapping[str, Losses]
    unit: str = "nats per byte"

    def gain(self, name: str) -> float:
        """By how much one change alone lowers the reference's median."""
        return float(np.median(self.reference) - np.median(self.alone[name]))

    def loss(self, name: str) -> float:
        """By how much the recipe's median rises when one change is undone."""
        return float(np.median(self.without[name]) - np.median(self.recipe))


def draw(fig: Figure, data: Ablation) -> None:
    """Two panels of one scale: the reference plus one change, the recipe minus one."""
    rows = [{"reference": data.reference, **{f"+ {n}": v for n, v in data.alone.items()}},
            {"the whole recipe": data.recipe, **data.without}]
    left, right = fig.subplots(1, 2)
    left.set_title("the reference with one change")
    right.set_title("the recipe with one change undone")
    for axes, colour, named in zip((left, right), (Q, V), rows, strict=True):
        _rows(axes, named, colour)
        axes.set_xlabel(f"held-out loss ({data.unit})")
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
        label_line(axes, max(losses), row, f"{np.median(losses):.3f}", "black")
    axes.set(yticks=range(len(named)), yticklabels=list(named), ylim=(len(named) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)


def say(data: Ablation) -> str:
    """The medians of the two ends, and the largest gain and loss of a single change."""
    text = (
        f"Held-out loss in {data.unit}, medians: reference {np.median(data.reference):.3f}, "
        f"the whole recipe {np.median(data.recipe):.3f}."
    )
    if data.alone:
        best = max(data.alone, key=data.gain)
        text += f" Alone, {best} brings most: {data.gain(best):.3f}."
    if data.without:
        most = max(data.without, key=data.loss)
        text += f" {most[0].upper()}{most[1:]} costs most: {data.loss(most):.3f}."
    return text
