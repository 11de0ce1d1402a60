"""How large Adam's updates are, step by step, beside what averaging noise would give."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V

LOOKS = ((K, "-"), (Q, "--"), (V, "-."))


def draw(fig, data):
    """Draw one curve a run; ``data`` is ``(sizes by name, law)``, both from step 1."""
    sizes, law = data
    axes = fig.subplots()
    n_steps = len(law)
    axes.set(xlim=(0, n_steps + 1), ylim=(0, 1.12), xlabel="step")
    axes.set_ylabel("size of the update\n(in units of the rate)")
    steps = np.arange(1, n_steps + 1)
    lines = [
        axes.plot(steps, values, color=colour, linestyle=dash, label=name)[0]
        for (name, values), (colour, dash) in zip(sizes.items(), LOOKS, strict=False)
    ]
    foretold = axes.plot(steps, law, ".", color=GREY, markersize=4, label="averaged noise")
    fig.legend(handles=[*lines, *foretold], loc="outside right center", handlelength=3)

    def update(data):
        for line, values in zip(lines, data[0].values(), strict=True):
            line.set_ydata(values)
        return lines

    return update


def say(data) -> str:
    """Say how large the first update of each run is, and the last."""
    sizes, law = data
    ends = "; ".join(f"{name} {v[0]:.2f}, then {v[-1]:.2f}" for name, v in sizes.items())
    return (
        f"Size of the first and of the last of {len(law)} updates, in units of the rate: {ends}. "
        f"Averaged noise would give {law[0]:.2f}, then {law[-1]:.2f}."
    )
