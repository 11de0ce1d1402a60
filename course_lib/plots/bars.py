"""Bars: a few named numbers side by side, one of them perhaps not known yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from course_lib.plots import style

Values = Mapping[str, float | None]


def _draw(
    fig: Figure, values: Values, label: str, number: str, tick: str, widest: float,
    colours: Mapping[str, str] | None = None,
):
    """One horizontal bar a name, with its number at the end; a question mark where it is None.

    Args:
        colours: by what stands before the comma of a name; without them the last bar differs.
    """
    axes = fig.subplots()
    names = list(values)
    # The scale stands still for what is usual, and grows for a run that went astray.
    widest = max(widest, *(1.15 * value for value in values.values() if value is not None))
    axes.set(xlabel=label, xlim=(0, widest), yticks=range(len(names)), yticklabels=names)
    axes.xaxis.set_major_formatter(StrMethodFormatter(tick))
    axes.invert_yaxis()  # the first name stands on top
    axes.tick_params(axis="y", length=0)
    for row, value in enumerate(values.values()):
        colour = style.V if row == len(names) - 1 else style.Q
        if colours is not None:
            colour = colours.get(names[row].split(",")[0], style.GREY)
        axes.barh(row, value or 0, height=0.6, color=colour)
        text = "?" if value is None else number.format(value)
        style.label_line(axes, value or 0, row, text, "black")


def _say(values: Values, number: str, unit: str) -> str:
    """Each name with its number."""
    parts = [f"{n} {'?' if v is None else number.format(v)}" for n, v in values.items()]
    return f"{unit}: {', '.join(parts)}."


draw_bits = partial(
    _draw, label="bits per byte of held-out text (shorter is better)", number="{:.2f}",
    tick="{x:g}", widest=6,
)
say_bits = partial(_say, number="{:.2f}", unit="Bits per byte")


@dataclass(frozen=True)
class BitsAboveFloor:
    """Bits per byte on a text whose floor is known; ``draw`` and ``say`` go to ``show``.

    Attributes:
        floor: in bits per byte, a black line through all bars; None where nobody knows it.
    """

    floor: float | None

    def draw(self, fig: Figure, values: Values) -> None:
        """The bars of ``draw_bits``, and the line that no bar can end before."""
        draw_bits(fig, values)
        if self.floor is not None:
            (axes,) = fig.axes
            axes.axvline(self.floor, color="black", linewidth=2, zorder=3)
            axes.set_title(f"black line: the floor, {self.floor:.2f}")

    def say(self, values: Values) -> str:
        """Each name with its number, and the floor."""
        floor = "" if self.floor is None else f" The floor is {self.floor:.2f}."
        return say_bits(values) + floor


draw_shares = partial(
    _draw, label="share of five-line snippets that are programs", number="{:.1%}", tick="{x:.0%}",
    widest=0.5,
)
say_shares = partial(_say, number="{:.1%}", unit="Share that are programs")
draw_possible = partial(
    _draw, label="share of stories that are possible from the first word to the last",
    number="{:.0%}", tick="{x:.0%}", widest=1.15,
)
say_possible = partial(_say, number="{:.0%}", unit="Share of stories that are possible")
draw_gaps = partial(
    _draw, label="surprise at the hidden word (nats; shorter is better)", number="{:.2f}",
    tick="{x:g}", widest=1.1, colours={"GPT": style.K, "BERT": style.Q},
)
say_gaps = partial(_say, number="{:.2f}", unit="Mean surprise at the hidden word in nats")
