"""A contest on labels: right answers by number of labels, a panel a task, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots import style

LOOKS = ((style.V, "o", "-"), (style.Q, "s", "--"), (style.GREY, "^", ":"), (style.K, "D", "-."))


@dataclass(frozen=True)
class Curve:
    """One contestant: shares of right answers by number of labels, with the ends of an interval."""

    name: str
    n_labels: Sequence[int]
    means: Sequence[float]
    intervals: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """One task; the lower end of its axis is what one who guesses reaches, or 0."""

    task: str
    curves: Sequence[Curve]
    lowest: float = 0.0


def draw(fig: Figure, panels: Sequence[Panel]) -> None:
    """A panel a task over the same steps of the number of labels; bars are 95 % intervals."""
    every = fig.subplots(1, len(panels))
    for axes, panel in zip(every if len(panels) > 1 else [every], panels, strict=True):
        axes.set_title(panel.task)
        axes.set(xscale="log", xlabel="labels", ylim=(panel.lowest, 1.03))
        axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        handles = [_curve(axes, curve, i, len(panel.curves))
                   for i, curve in enumerate(panel.curves)]  # fmt: skip
        sizes = sorted({n for curve in panel.curves for n in curve.n_labels})
        axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axes.set_xlim(min(sizes) / 2, max(sizes) * 2)
        axes.minorticks_off()
    fig.legend(handles, [curve.name for curve in panels[0].curves],
               loc="outside upper center", ncols=len(handles))  # fmt: skip


def _curve(axes: Axes, curve: Curve, i: int, n_curves: int):
    """One line, a little beside the others, so that their bars do not cover each other."""
    colour, marker, dash = LOOKS[i]
    beside = 1.12 ** (i - (n_curves - 1) / 2)
    below = [mean - low for mean, (low, _) in zip(curve.means, curve.intervals, strict=True)]
    above = [high - mean for mean, (_, high) in zip(curve.means, curve.intervals, strict=True)]
    return axes.errorbar(
        [n * beside for n in curve.n_labels], curve.means, (below, above), color=colour,
        marker=marker, linestyle=dash, markersize=6, linewidth=1.6, capsize=3,
    )  # fmt: skip


def say(panels: Sequence[Panel]) -> str:
    """All means in words."""
    parts = []
    for panel in panels:
        curves = "; ".join(
            f"{c.name} {_means(c)}" for c in panel.curves
        )
        parts.append(f"{panel.task}: {curves}")
    return f"Right answers, with the number of labels. {'. '.join(parts)}."


def _means(curve: Curve) -> str:
    pairs = zip(curve.means, curve.n_labels, strict=True)
    return ", ".join(f"{mean:.0%} ({n:,})" for mean, n in pairs)
