"""The spread of a fresh stack's logits against its depth, with and without the final norm."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, label_line


def draw(fig, data):
    """Draw two runs of ``FinalNorm``: equal weights on the left, smaller writers on the right.

    ``data`` is ``(equal, scaled)``, each with depths, with_norm and without.
    """
    panels = fig.subplots(1, 2, sharey=True)
    titles = ("all matrices drawn alike", "writers smaller by sqrt(2L)")
    for axes, run, title in zip(panels, data, titles, strict=True):
        _panel(axes, run)
        axes.set_title(title)
    panels[0].set_ylabel("spread of the logits (st. dev.)")


def say(data) -> str:
    """Say how the logits' spread changes from the shallowest stack to the deepest."""
    equal, scaled = data
    first, last = equal.depths[0], equal.depths[-1]
    return (
        f"From {first} to {last} blocks, the spread of the logits without the final norm is "
        f"multiplied by {_growth(equal.without):.2g} when all matrices are drawn alike, and by "
        f"{_growth(scaled.without):.2g} with smaller writers. With the norm it is multiplied by "
        f"{_growth(equal.with_norm):.2g} and {_growth(scaled.with_norm):.2g}."
    )


def _panel(axes, run):
    """Both curves of one way to draw the weights; fixed limits, so that the panels compare."""
    axes.set(xscale="log", xlabel="number of blocks", ylim=(0, 2.2), xlim=(2.5, 110))
    axes.set_xticks(run.depths, [str(depth) for depth in run.depths])
    axes.minorticks_off()
    lines = ((run.with_norm, "with norm", Q, "o"), (run.without, "without", K, "s"))
    for values, name, colour, mark in lines:
        values = np.asarray(values)
        axes.plot(run.depths, values, color=colour, marker=mark, clip_on=False)
        label_line(axes, float(run.depths[-1]), float(values[-1]), name, colour, dx=8)
    axes.tick_params(colors=GREY)


def _growth(values) -> float:
    values = np.asarray(values)
    return float(values[-1] / values[0])
