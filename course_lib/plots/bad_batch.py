"""A run with one bad batch: how long each update is, and the loss; clipped and not."""

import numpy as np

from course_lib.plots.style import GREY, K, Q

LOOKS = ((GREY, "-", 3.5), (K, "-", 2.0), (Q, "--", 2.0))  # no bad batch, not clipped, clipped
SIZE_RANGE, LOSS_RANGE = (2e-3, 100.0), (0.01, 2000.0)


def draw(fig, data):
    """Draw the lengths of the updates and the losses of all runs."""
    left, right = fig.subplots(1, 2)
    left.set(ylim=SIZE_RANGE, ylabel="length of the update")
    right.set(ylim=LOSS_RANGE, ylabel="loss above the best possible")
    n_steps = len(next(iter(data.losses.values())))
    for axes in (left, right):
        axes.set(xlim=(0, n_steps), xlabel="step", yscale="log")
    marks = [
        axes.axvline(1, color=GREY, linewidth=1, linestyle=(0, (2, 2))) for axes in (left, right)
    ]
    text = left.text(
        0, 0.98, "", transform=left.get_xaxis_transform(), va="top", color=GREY
    )  # fmt: skip
    steps = np.arange(1, n_steps + 1)
    lines = {
        (panel, name): axes.plot(
            steps, steps, color=colour, linestyle=dash, linewidth=width, label=name
        )[0]
        for panel, axes in (("sizes", left), ("losses", right))
        for name, (colour, dash, width) in zip(data.losses, LOOKS, strict=True)
    }
    right.legend(loc="upper right", handlelength=3)

    def update(data):
        for (panel, name), line in lines.items():
            edges = SIZE_RANGE if panel == "sizes" else LOSS_RANGE
            line.set_ydata(np.clip(getattr(data, panel)[name], *edges))
        for mark in marks:
            mark.set_xdata([data.at, data.at])
        on_the_left = data.at > n_steps / 2
        text.set(x=data.at - 4 if on_the_left else data.at + 4, text="the bad batch")
        text.set_ha("right" if on_the_left else "left")
        return [*lines.values(), *marks, text]

    update(data)
    return update


def say(data) -> str:
    """Say how long the update of the bad batch was in each run, and what the loss did."""
    at = data.at
    parts = "; ".join(
        f"{name}: update {data.sizes[name][at - 1]:.2g} long, loss "
        f"{losses[at - 2]:.2g} before it, {losses[at - 1]:.2g} after, "
        f"at most {max(losses[at - 1 : at + 14]):.2g} within 15 steps, {losses[-1]:.2g} at the end"
        for name, losses in data.losses.items()
    )
    return f"{data.optimiser}, noise {data.noise:g} times as large in step {at}. {parts}."
