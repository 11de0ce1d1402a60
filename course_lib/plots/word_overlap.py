"""Shared words of right and wrong pairs, once for each kind of wrong pair."""

import numpy as np

from course_lib.plots.style import K, Q

MOST = 7


def draw(fig, data) -> None:
    """Draw a list of ``Overlap``, a panel each; all that share 7 words or more stand at 7."""
    panels = fig.subplots(1, len(data), sharey=True)
    for axes, overlap in zip(panels, data, strict=True):
        for values, shift, colour, hatch in (
            (overlap.right, -0.2, Q, ""), (overlap.wrong, 0.2, K, "///"),
        ):  # fmt: skip
            counts = np.bincount(np.minimum(values, MOST), minlength=MOST + 1)
            bars = axes.bar(
                np.arange(MOST + 1) + shift, counts / counts.sum(), 0.4, color=colour,
                hatch=hatch, edgecolor="white", linewidth=0,
            )  # fmt: skip
            bars.set_label("as it was" if colour == Q else "wrong pair")
        axes.set(xlabel="content words shared", xticks=range(MOST + 1), ylim=(0, 0.9))
        axes.set_title(f"{_name(overlap.task)}\ntold from this: {overlap.accuracy:.0%} right")
        axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    panels[0].set_ylabel("share of the pairs")
    panels[-1].legend(loc="upper right")


def say(data) -> str:
    """Say how often the number of shared words gives the right answer."""
    parts = "; ".join(f"{_name(o.task)} {o.accuracy:.0%}" for o in data)
    return f"Right answers of whoever only counts shared words: {parts}."


def _name(task: str) -> str:
    return task if "swapped" in task else f"a stranger from {task}"
