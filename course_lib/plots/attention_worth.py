"""What some tokens get of the attention, and of attention times length, layer by layer."""

from typing import NamedTuple

import numpy as np

from course_lib.plots import style


class Worth(NamedTuple):
    """Shares of some tokens (``names``) in each layer, mean over its heads and all queries."""

    attention: list[float]
    written: list[float]
    names: str


def draw(fig, data: Worth):
    """Two bars a layer."""
    axes = fig.subplots()

    def update(data: Worth) -> None:
        axes.clear()
        places = np.arange(1, len(data.attention) + 1)
        axes.set(ylim=(0, 100), xlim=(0.4, len(places) + 0.6), xlabel="layer")
        axes.set_ylabel(f"share of {data.names} (%)")
        axes.set_xticks(places)
        kinds = (("attention", data.attention, style.K, -0.2, ""),
                 ("attention × length", data.written, style.V, 0.2, "//"))  # fmt: skip
        for number, (name, shares, colour, shift, hatch) in enumerate(kinds):
            percent = 100 * np.array(shares)
            axes.bar(places + shift, percent, 0.38, color=colour, hatch=hatch, edgecolor="white")
            for place, high in zip(places + shift, percent, strict=True):
                axes.text(place, high + 1.5, f"{high:.0f}", ha="center", fontsize=10)
            axes.text(0.5, 92 - 12 * number, f"of {name}", color=style.AS_TEXT.get(colour, colour))

    update(data)
    return update


def say(data: Worth) -> str:
    """Both shares in every layer."""
    rows = enumerate(zip(data.attention, data.written, strict=True), start=1)
    told = "; ".join(f"layer {k}: {a:.0%} and {w:.0%}" for k, (a, w) in rows)
    return f"Share of {data.names}, of attention and of attention times length: {told}."
