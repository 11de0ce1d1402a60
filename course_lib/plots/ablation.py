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
        without: the recipe with one change taken back.
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
        """By how much the recipe's median rises when one change is taken back."""
        return float(np.median(self.without[name]) - np.median(self.recipe))


def draw(fig: Figure, data: Ablation) -> None:
    """Two panels over one axis of loss: reference plus one change, recipe minus one change."""
    rows = [{"reference": data.reference, **{f"+ {n}": v for n, v in data.alone.items()}},
            {"all of them": data.recipe, **{f"without {n}": v for n, v in data.without.items()}}]
    left, right = fig.subplots(1, 2, sharex=True)
    left.set_title("the reference with one change")
    right.set_title("all changes but one")
    for axes, colour, named in zip((left, right), (Q, V), rows, strict=True):
        _rows(axes, named, colour)
        axes.set_xlabel(f"held-out loss ({data.unit})")
    every = [loss for named in rows for losses in named.values() for loss in losses]
    room = 0.1 * (max(every) - min(every) or 1.0)
    left.set_xlim(min(every) - room, max(every) + 4 * room)


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
        f"all changes {np.median(data.recipe):.3f}."
    )
    if data.alone:
        best = max(data.alone, key=data.gain)
        text += f" Alone, {best} brings most: {data.gain(best):.3f}."
    if data.without:
        most = max(data.without, key=data.loss)
        text += f" Left out, {most} costs most: {data.loss(most):.3f}."
    return text
