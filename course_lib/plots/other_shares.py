"""One query's shares of attention before and after: two rows of bars over the same tokens."""

from typing import NamedTuple

import numpy as np

from course_lib.plots import style


class OtherShares(NamedTuple):
    """Two sets of shares over the same tokens, and by how much the mix of values differs.

    ``reader`` says which query of which head it is.
    """

    tokens: list[str]
    was: list[float]
    now: list[float]
    moved: float
    reader: str


def draw(fig, data: OtherShares):
    """As computed above, changed below."""
    panels = fig.subplots(2, 1, sharex=True, sharey=True)

    def update(data: OtherShares) -> None:
        highest = 1.1 * max(*data.was, *data.now, 0.05)
        rows = ((data.was, f"{data.reader}: as computed", style.K, ""),
                (data.now, "changed", style.V, "//"))  # fmt: skip
        for axes, (shares, title, colour, hatch) in zip(panels, rows, strict=True):
            axes.clear()
            axes.set(xlim=(-0.7, len(shares) - 0.3), ylim=(0, highest), ylabel="share", title=title)
            axes.bar(np.arange(len(shares)), shares, 0.8, color=colour, hatch=hatch,
                     edgecolor="white")  # fmt: skip
            axes.tick_params(axis="x", length=0)
        shown = [token if token.strip(".,;:!?'") else f"“{token}”" for token in data.tokens]
        panels[1].set_xticks(range(len(shown)), shown, rotation=90)

    update(data)
    return update


def say(data: OtherShares) -> str:
    """What became of the largest share, and what that did."""
    first = int(np.argmax(data.was))
    gone = sum(share < 1e-9 for share in data.now)
    return (
        f"{data.reader}: “{data.tokens[first]}” falls from {data.was[first]:.0%} to "
        f"{data.now[first]:.0%}, {gone} of {len(data.now)} tokens are read no more; the numbers of "
        f"the mix change by less than {_power_above(data.moved):.0e}."
    )


def _power_above(x: float) -> float:
    """The next power of ten above a small number."""
    return 10.0 ** (np.floor(np.log10(max(x, 1e-16))) + 1)
