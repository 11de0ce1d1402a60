"""Runs on a text whose floor is known: how far above it they are, over the tokens read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from course_lib.plots.style import TRAIN, Q, V, label_line

Curve = tuple[Sequence[float], Sequence[float]]  # tokens read, losses
_LOOKS = ((Q, "-", "o"), (V, "--", "s"), (TRAIN, ":", "^"))


@dataclass(frozen=True)
class AboveFloor:
    """Held-out losses of some runs.

    Attributes:
        floor: the least possible loss, in the unit of the losses.
        runs: by name, tokens read and loss at each look; at most three.
    """

    floor: float
    runs: Mapping[str, Curve]

    def per_cent(self, name: str) -> list[float]:
        """How far above the floor each loss of a run is, in per cent of the floor."""
        return [100 * (loss / self.floor - 1) for loss in self.runs[name][1]]


def draw(fig: Figure, data: AboveFloor) -> None:
    """Draw one line a run over logarithmic axes, with its name and last distance at its end."""
    axes = fig.subplots()
    axes.set(xscale="log", yscale="log", xlabel="tokens read", ylabel="above the floor (%)")
    for i, (name, (colour, dash, marker)) in enumerate(zip(data.runs, _LOOKS, strict=False)):
        tokens, distance = data.runs[name][0], data.per_cent(name)
        axes.plot(tokens, distance, color=colour, linestyle=dash, marker=marker, markersize=5)
        if len(tokens):  # the first name stands beside its end, the others below and to the left,
            text = f"{name}: {distance[-1]:.0f}%"  # where nothing is: all runs come down from there
            dx, dy = (8, 0) if i == 0 else (-4, -11)
            label = label_line(axes, tokens[-1], distance[-1], text, colour, dx=dx, dy=dy)
            label.set_horizontalalignment("left" if i == 0 else "right")
    read = [t for tokens, _ in data.runs.values() for t in tokens]
    if read:  # the names at the ends need room
        axes.set_xlim(0.8 * min(read), max(read) * (max(read) / min(read)) ** 0.4)
    axes.set_yticks([5, 10, 20, 50, 100, 200, 500])
    axes.set_ylim(*_heights([d for name in data.runs for d in data.per_cent(name)]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _heights(distances: list[float]) -> tuple[float, float]:
    """Limits around all distances; a run at or below the floor has no place on such an axis."""
    above = [distance for distance in distances if distance > 0] or [10.0]
    return 0.7 * min(above), 1.3 * max(above)


def say(data: AboveFloor) -> str:
    """Where each run ended."""
    ends = [
        f"{name} ended {data.per_cent(name)[-1]:.0f}% above it after {tokens[-1]:,.0f} tokens"
        for name, (tokens, _) in data.runs.items()
        if len(tokens)
    ]
    return f"The floor is {data.floor:.3f} nats; " + ("; ".join(ends) or "no run has begun") + "."
