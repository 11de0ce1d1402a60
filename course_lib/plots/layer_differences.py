"""How far two models are apart in each layer, on a logarithmic axis."""

from typing import NamedTuple

import numpy as np

from course_lib.plots import style

LOWEST = 1e-8  # exact agreement is drawn here
_MISSES = (
    (style.K, (0, (4, 2))), (style.ACCENT, (0, (1, 1.2))), (style.Q, (0, (6, 2, 1, 2))),
    (style.V, (0, (3, 3))), (style.GREY, (0, (8, 2))),
)  # fmt: skip


class LayerDifferences(NamedTuple):
    """The largest difference of a number, behind the embedding and behind each layer.

    ``agreed`` belongs to the models that are claimed to be one; ``misses`` to almost-models, by
    their names; ``bound`` is what the claim allows.  ``agreed`` may be empty.  All are compared
    with the same model.
    """

    agreed: list[float]
    misses: dict[str, list[float]]
    bound: float


def draw(fig, data: LayerDifferences):
    """A line for each model, labelled at its end from the highest to the lowest."""
    axes = fig.subplots()

    def update(data: LayerDifferences) -> None:
        axes.clear()
        n = max(len(line) for line in [data.agreed, *data.misses.values()])
        axes.set(yscale="log", xlim=(-0.2, n + 1.4), ylim=(LOWEST / 2, 30), xlabel="layer")
        axes.set_ylabel("largest difference of a number")
        exact = min(min(line) for line in [*data.misses.values(), data.agreed or [1]]) < LOWEST
        lowest = "none" if exact else "10⁻⁸"  # a logarithm has no place for 0
        axes.set_yticks([LOWEST, 1e-6, 1e-4, 1e-2, 1], [lowest, "10⁻⁶", "10⁻⁴", "10⁻²", "1"])
        axes.minorticks_off()
        axes.set_xticks(range(n), ["embedding", *(str(k) for k in range(1, n))])
        style.reference_line(axes, data.bound, f"claimed: below {data.bound:.5f}", at=1.0)
        ends = {}
        if data.agreed:
            axes.plot(_shown(data.agreed), "o-", color=style.TRAIN, markersize=5)
            ends["ours and the published code"] = (data.agreed[-1], style.TRAIN)
        for (name, line), (colour, dash) in zip(data.misses.items(), _MISSES, strict=False):
            axes.plot(_shown(line), color=colour, linestyle=dash, marker=".", markersize=8)
            ends[name] = (line[-1], colour)
        _label_ends(axes, n - 1, ends)

    update(data)
    return update


def say(data: LayerDifferences) -> str:
    """The largest differences in one sentence."""
    parts = [f"{name} {_short(max(line))}" for name, line in data.misses.items()]
    if data.agreed:
        parts.insert(0, f"ours and the published code {_short(max(data.agreed))}")
    return f"Largest difference of a number in any layer: {'; '.join(parts)}."


def _short(x: float) -> str:
    """Two digits, and no power of ten for a number that is read more easily without."""
    return f"{x:.1f}" if x >= 1 else f"{x:.1g}"


def _shown(line) -> np.ndarray:
    return np.maximum(np.asarray(line, dtype=float), LOWEST)


def _label_ends(axes, x: float, ends: dict[str, tuple[float, str]]) -> None:
    """Write the names beside the ends, moved apart where these lie too close for text."""
    taken = np.inf
    for name, (end, colour) in sorted(ends.items(), key=lambda item: -item[1][0]):
        place = min(np.log10(max(end, LOWEST)), taken - 0.75)
        taken = place
        style.label_line(axes, x + 0.05, 10**place, name, colour)
