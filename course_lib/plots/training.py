"""Loss, learning rate and gradient norm of a training run, while it goes on and afterwards."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_lib.plots import style

FIELDS = ("step", "total_steps", "train_loss", "validation_loss", "lr", "grad_norm")
NATS = "nats per token"
BITS = "bits per byte"
_ROOM = 1.28  # of the loss panel, in widths of the run: the rest holds the names of the lines
_SMALLEST = 1e-300  # nearer to 0 the powers of ten below a value run out


@dataclass(frozen=True)
class TrainingCurves:
    """How to draw and describe a history; `draw` and `say` go to `live` or `show`.

    Attributes:
        unit: Written on the loss axis; in `BITS` the losses of the history, which are nats, are
            divided by ln 2.
        references: Losses to compare with, in `unit`, by what is written on their line.
        max_grad_norm: Where the gradient is clipped; drawn when given.
    """

    unit: str = NATS
    references: Mapping[str, float] = field(default_factory=dict)
    max_grad_norm: float | None = None

    def draw(self, fig: Figure, history: Any):
        """Three panels over the same steps.

        The steps' axis covers the whole run from the start, and the others only ever grow.
        """
        # A computed layout would take longer than all the rest, and move while the run goes on.
        fig.set_layout_engine(None)
        panels = fig.subplots(1, 3, width_ratios=[2.2, 1, 1])
        fig.subplots_adjust(left=0.065, right=0.985, bottom=0.17, top=0.9, wspace=0.2)
        losses = _Losses(panels[0], self.unit, self._scale, self.references)
        lr = _Curve(panels[1], "lr", "learning rate × 1000", 1000)
        norm = _Curve(panels[2], "grad_norm", "gradient norm", 1)
        if self.max_grad_norm is not None:
            panels[2].set_title("gradient norm, uncut")  # as it came, before the update cuts it
            style.reference_line(panels[2], self.max_grad_norm, "")
            _grow(panels[2], self.max_grad_norm)

        def update(history: Any) -> list | None:
            columns = as_columns(history)
            grown = [panel.update(columns) for panel in (losses, lr, norm)]
            grown += [_widen(panels[0], columns, _ROOM)]
            grown += [_widen(axes, columns, 1.05) for axes in panels[1:]]
            return None if any(grown) else [*losses.artists, *lr.artists, *norm.artists]

        update(history)
        return update

    def say(self, history: Any) -> str:
        """The newest numbers in one sentence."""
        columns = as_columns(history)
        if not columns["step"]:
            return "No step has been made yet."
        newest = {name: values[-1] for name, values in columns.items()}
        text = (
            f"Step {newest['step']} of {newest['total_steps']}: train loss"
            f" {newest['train_loss'] * self._scale:.2f} {self.unit}"
        )
        steps, losses = _measured(columns, "validation_loss")
        if steps:
            text += f", validation loss {losses[-1] * self._scale:.2f} (step {steps[-1]})"
        return text + (
            f"; learning rate {newest['lr']:.2g}, gradient norm {newest['grad_norm']:.2g}."
        )

    @property
    def _scale(self) -> float:
        return 1 / math.log(2) if self.unit == BITS else 1.0


def as_columns(history: Sequence | Mapping) -> dict[str, list]:
    """A history as lists by name: from a dict of lists, or from records with attributes."""
    if isinstance(history, Mapping):
        return {name: list(history[name]) for name in FIELDS}
    return {name: [getattr(record, name) for record in history] for name in FIELDS}


def draw(fig: Figure, history: Any):
    """`TrainingCurves().draw`: losses in nats per token, without reference lines."""
    return TrainingCurves().draw(fig, history)


def say(history: Any) -> str:
    """`TrainingCurves().say`."""
    return TrainingCurves().say(history)


class _Losses:
    """The loss panel: train solid, validation dashed with markers, each named at its end."""

    def __init__(self, axes: Axes, unit: str, scale: float, references: Mapping[str, float]):
        self.axes, self.scale = axes, scale
        axes.set(xlabel="step", ylabel=f"loss ({unit})")
        (self.train,) = axes.plot([], [], color=style.TRAIN, linewidth=1.3)
        (self.validation,) = axes.plot(
            [], [], color=style.VALIDATION, linestyle="--", marker="o", markersize=5, zorder=3
        )
        self.labels = [style.label_line(axes, 0, 0, "", style.TRAIN) for _ in range(2)]
        for label in self.labels:
            label.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})
        self.artists = [self.train, self.validation, *self.labels]
        _draw_references(axes, references)

    def update(self, columns: Mapping[str, list]) -> bool:
        ends = []
        for line, name in ((self.train, "train_loss"), (self.validation, "validation_loss")):
            steps, losses = _measured(columns, name)
            losses = [loss * self.scale for loss in losses]
            line.set_data(steps, losses)
            ends.append((steps[-1], losses[-1]) if steps else None)
        self._label(ends)
        return _grow(self.axes, *self.train.get_ydata(), *self.validation.get_ydata())

    def _label(self, ends: list[tuple[float, float] | None]) -> None:
        """Put the names beside the ends, the higher one up, the lower one down."""
        train_is_higher = all(ends) and ends[0][1] > ends[1][1]
        for label, end, text in zip(self.labels, ends, ("train", "validation"), strict=True):
            label.set_text(text if end else "")
            label.xy = end or (0, 0)
            up = (text == "train") == train_is_higher
            label.set_position((7, 7 if up else -7) if all(ends) else (7, 0))


def _draw_references(axes: Axes, references: Mapping[str, float]) -> None:
    """Their names above and below in turn and side by side, for two may be almost equal.

    They begin a third of the way in: at the left the losses fall through all of them.
    """
    at = 0.33
    from_above = sorted(references.items(), key=lambda named: -named[1])
    for i, (text, loss) in enumerate(from_above):
        # No loss comes below a floor, so that is where its name has room.
        below = i % 2 == 1 or text == "floor"
        line, _ = style.reference_line(axes, loss, text, at=min(at, 0.49), below=below)
        line.set_xdata([0, 1 / _ROOM])  # to the end of the run, clear of the names there
        _grow(axes, loss)
        if i % 2 == 1:
            at = min(0.6, at + 0.05 + 0.022 * max(len(name) for name in references))


class _Curve:
    """A panel with one line."""

    def __init__(self, axes: Axes, name: str, title: str, scale: float):
        self.axes, self.name, self.scale = axes, name, scale
        axes.set(xlabel="step", title=title)
        (self.line,) = axes.plot([], [], color=style.TRAIN, linewidth=1.3)
        self.artists = [self.line]

    def update(self, columns: Mapping[str, list]) -> bool:
        steps, values = _measured(columns, self.name)
        values = [value * self.scale for value in values]
        self.line.set_data(steps, values)
        return _grow(self.axes, *values)


def _measured(columns: Mapping[str, list], name: str) -> tuple[list, list]:
    """Steps and values without those where nothing was measured."""
    both = [(s, v) for s, v in zip(columns["step"], columns[name], strict=True) if v is not None]
    return [s for s, _ in both], [v for _, v in both]


def _grow(axes: Axes, *values: float) -> bool:
    """Let the axis from 0 reach above all values; True if it had to change, which is seldom."""
    top = 0.0 if axes.get_autoscaley_on() else axes.get_ylim()[1]  # still as Matplotlib made it
    # A run that diverged may hold NaN or infinity: the line breaks there, the axis stays.
    largest = max((value for value in values if _SMALLEST < value < math.inf), default=0.0)
    if largest <= top:
        return False
    axes.set_ylim(0, _round_up(1.08 * largest))
    return True


def _round_up(value: float) -> float:
    """The next number of the kind 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    steps = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
    return power * next(step for step in steps if step * power >= value)


def _widen(axes: Axes, columns: Mapping[str, list], room: float) -> bool:
    """Let the axis of steps reach the last step of the run; True if it changed."""
    end = max([1, *columns["total_steps"][-1:], *columns["step"][-1:]])
    if axes.get_xlim() == (0, room * end):
        return False
    axes.set_xlim(0, room * end)
    ticks = MaxNLocator(4, integer=True, steps=[1, 2, 2.5, 5, 10]).tick_values(0, end)
    axes.set_xticks([tick for tick in ticks if 0 <= tick <= end])
    return True
