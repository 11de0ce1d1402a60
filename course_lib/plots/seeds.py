"""Some settings, each tried with several seeds: a dot a seed, and the mean as a bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from matplotlib.figure import Figure

from course_lib.plots import style

Scores = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Seeds:
    """How to draw and describe the scores of settings; ``draw`` and ``say`` go to ``show``.

    Attributes:
        what: the name of the settings, such as "rate".
        score: of the axis.
        lowest: its lower end.
    """

    what: str
    score: str = "right answers, held out"
    lowest: float = 0.0

    def draw(self, fig: Figure, scores: Scores) -> None:
        """A row a setting; dots that would cover each other stand one above the other."""
        axes = fig.subplots()
        axes.set(xlim=(self.lowest, 1.1), xlabel=self.score, ylabel=self.what,
                 yticks=range(len(scores)), yticklabels=list(scores))  # fmt: skip
        ticks = [tick / 10 for tick in range(11) if tick / 10 >= self.lowest]
        axes.set_xticks(ticks, [f"{tick:.0%}" for tick in ticks])
        axes.set_ylim(len(scores) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        for row, values in enumerate(scores.values()):
            axes.axhline(row, color=style.FAINT, linewidth=1, zorder=0)
            heights = [row + 0.28 * (i / max(1, len(values) - 1) - 0.5) for i in range(len(values))]
            axes.plot(sorted(values), heights, "o", color=style.V, markersize=6, alpha=0.8)
            mean = fmean(values)
            axes.plot([mean] * 2, [row - 0.35, row + 0.35], color="black", linewidth=2.5)
            style.label_line(axes, max(values), row, f"mean {mean:.0%}", "black", dx=9)

    def say(self, scores: Scores) -> str:
        """Mean and ends of each setting."""
        parts = [
            f"{name}: mean {fmean(values):.0%}, from {min(values):.0%} to {max(values):.0%}"
            for name, values in scores.items()
        ]
        return f"{self.score.capitalize()}, by {self.what}: {'; '.join(parts)}."
