"""Gradients along the stream, measured and foretold, with and without the way back (lesson 33)."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V

LOOKS = (("#000000", "-"), (K, "--"), (V, "-."), (Q, (0, (5, 1, 1, 1))))
LOWEST, HIGHEST = 1e-10, 1e2


def draw(fig, panels):
    """Draw ``{title: {name: (gradients, foretold or None)}}``, a panel a title.

    Gradients are by place, relative to the top; what was foretold is a dotted line.
    """
    for i, (axes, (title, curves)) in enumerate(
        zip(np.atleast_1d(fig.subplots(1, len(panels), sharey=True)), panels.items(), strict=True)
    ):
        axes.set(yscale="log", ylim=(LOWEST, HIGHEST), title=title)
        axes.set(xlabel="blocks below")
        axes.grid(axis="y", color=FAINT)
        for (name, (values, foretold)), (colour, dash) in zip(curves.items(), LOOKS, strict=False):
            places = np.arange(len(values))
            axes.plot(places, _relative(values), color=colour, linestyle=dash, label=name)
            if foretold is not None:
                axes.plot(places, foretold, color=GREY, linewidth=1.6, linestyle=(0, (1, 2)))
        if i == 0:
            axes.set_ylabel("gradient / that at the top")
    handles, names = axes.get_legend_handles_labels()
    if any(law is not None for curves in panels.values() for _, law in curves.values()):
        (law,) = axes.plot([], [], color=GREY, linewidth=1.6, linestyle=(0, (1, 2)))
        handles, names = [*handles, law], [*names, "foretold"]
    fig.legend(handles, names, loc="outside right center", handlelength=3)


def say(panels) -> str:
    """Say the gradient at the bottom over that at the top for each curve."""
    parts = []
    for title, curves in panels.items():
        ends = []
        for name, (values, foretold) in curves.items():
            law = "" if foretold is None else f" (foretold {float(foretold[0]):.2g})"
            ends.append(f"{name} {float(_relative(values)[0]):.2g}{law}")
        parts.append(f"{title}: {', '.join(ends)}")
    return f"Gradient at the bottom of the stream over that at the top. {'; '.join(parts)}."


def _relative(values):
    values = np.asarray(values)
    return values / values[-1]
