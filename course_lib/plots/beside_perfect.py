"""Right answers of a model, beside those of the perfect reader and of a simple rival."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from course_lib.plots import style


class Row(NamedTuple):
    """Shares of right answers in one kind of question; ``rival`` may be unknown."""

    name: str
    model: float
    perfect: float
    rival: float | None = None


@dataclass(frozen=True)
class BesidePerfect:
    """How to draw and describe some rows, for `show`.

    Attributes:
        model, rival: what they are called; a rival without a name is not drawn.
        chance: where one who does not read ends, drawn as a dashed line when given.
    """

    model: str = "your BERT"
    rival: str = ""
    chance: float | None = None

    def draw(self, fig: Figure, rows: Sequence[Row]) -> None:
        """A bar for the model, a black line for the perfect reader, a circle for the rival."""
        axes = fig.subplots()
        axes.set(xlabel="share of right answers", xlim=(0, 1.36),
                 yticks=range(len(rows)), yticklabels=[row.name for row in rows])  # fmt: skip
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
        axes.invert_yaxis()  # the first name stands on top
        axes.tick_params(axis="y", length=0)
        if self.chance is not None:
            axes.axvline(self.chance, color=style.GREY, linestyle=(0, (4, 3)), linewidth=1.2)
        for y, row in enumerate(rows):
            axes.barh(y, row.model, height=0.6, color=style.V)
            axes.plot([row.perfect] * 2, [y - 0.4, y + 0.4], color="black", linewidth=3)
            if self.rival and row.rival is not None:
                axes.plot([row.rival], [y], "o", color="white", markeredgecolor=style.K,
                          markeredgewidth=2, markersize=8)  # fmt: skip
            style.label_line(axes, 1.0, y, f"{row.model:.0%} of {row.perfect:.0%}", "black", dx=9)
        self._legend(fig)

    def _legend(self, fig: Figure) -> None:
        line = {"linestyle": "none", "color": "black", "markersize": 14, "markeredgewidth": 3}
        handles = [Patch(color=style.V, label=self.model),
                   Line2D([], [], marker="|", label="perfect reader", **line)]  # fmt: skip
        if self.rival:
            ring = {"markeredgecolor": style.K, "markeredgewidth": 2, "markersize": 8}
            handles.append(Line2D([], [], marker="o", color="white", label=self.rival, **ring))
        if self.chance is not None:
            handles.append(Line2D([], [], color=style.GREY, linestyle=(0, (4, 3)),
                                  linewidth=1.2, label="guessing"))  # fmt: skip
        fig.legend(handles=handles, loc="outside upper left", ncols=len(handles))

    def say(self, rows: Sequence[Row]) -> str:
        """Each row in words."""
        parts = []
        for row in rows:
            rival = (
                f", {self.rival} {row.rival:.0%}" if self.rival and row.rival is not None else ""
            )
            parts.append(f"{row.name} {row.model:.0%} of {row.perfect:.0%}{rival}")
        return (
            f"Right answers of {self.model}, of what a perfect reader reaches: {'; '.join(parts)}."
        )
