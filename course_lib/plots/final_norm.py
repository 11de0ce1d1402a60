"""The spread of a fresh stack's logits against its depth, with and without the final norm."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, label_line

LEVELS = (0.1, 0.2, 0.5, 1, 2)


def draw(fig, data):
    """Draw two runs of ``FinalNorm``: equal weights on the left, smaller writers on the right.

    ``data`` is ``(equal, scaled)``, each with depths, with_norm and without.  On the left a thin
    line grows as the root of the number of blocks.
    """
    panels = fig.subplots(1, 2, sharey=True)
    titles = ("all matrices drawn alike", "GPT-2's start: smaller writers")
    for axes, run, title in zip(panels, data, titles, strict=True):
        _panel(axes, run)
        axes.set_title(title)
    _root_line(panels[0], data[0])
    panels[0].set_ylabel("spread of the logits (st. dev.)")


def say(data) -> str:
    """Say how the logits' spread changes from the shallowest stack to the deepest."""
    equal, scaled = data
    first, last = equal.depths[0], equal.depths[-1]
    return (
        f"From {first} to {last} blocks, the spread of the logits without the final norm goes "
        f"{_from_to(equal.without)} when all matrices are drawn alike, and "
        f"{_from_to(scaled.without)} with smaller writers. With the norm it goes "
        f"{_from_to(equal.with_norm)} and {_from_to(scaled.with_norm)}."
    )


def _panel(axes, run):
    """Both curves of one way to draw the weights; fixed limits, so that the panels compare."""
    axes.set(xscale="log", yscale="log", xlabel="number of blocks")
    axes.set(ylim=(0.1, 3), xlim=(2.5, 110))
    axes.set_xticks(run.depths, [str(depth) for depth in run.depths])
    axes.set_yticks(LEVELS, [str(level) for level in LEVELS])
    axes.minorticks_off()
    lines = ((run.with_norm, "with norm", Q, "o"), (run.without, "without", K, "s"))
    for values, name, colour, mark in lines:
        values = np.asarray(values)
        axes.plot(run.depths, values, color=colour, marker=mark, clip_on=False)
        label_line(axes, float(run.depths[-1]), float(values[-1]), name, colour, dx=8)
    axes.tick_params(colors=GREY)


def _root_line(axes, run):
    """A line through the first point without the norm that grows as the root of the depth."""
    depths = np.asarray(run.depths, dtype=float)
    root = float(run.without[0]) * np.sqrt(depths / depths[0])
    axes.plot(depths, root, color=GREY, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    axes.text(0.03, 0.93, "dashed: as the root of the depth", transform=axes.transAxes, color=GREY)


def _from_to(values) -> str:
    values = np.asarray(values)
    return f"from {float(values[0]):.2g} to {float(values[-1]):.2g}"
