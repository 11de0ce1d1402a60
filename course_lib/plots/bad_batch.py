"""A run with one bad batch: how long each update is, and the loss; clipped and not."""

import numpy as np

from course_lib.plots.style import GREY, K, Q

LOOKS = ((GREY, "-", 3.5), (K, "-", 2.0), (Q, "--", 2.0))  # no bad batch, not clipped, clipped
SIZE_RANGE, LOSS_RANGE = (2e-3, 100.0), (0.01, 2000.0)


def draw_for(at: int):
    """Return a ``draw``; the bad batch comes at step ``at``."""

    def draw(fig, data):
        left, right = fig.subplots(1, 2)
        left.set(ylim=SIZE_RANGE, ylabel="length of the update")
        right.set(ylim=LOSS_RANGE, ylabel="loss above the best possible")
        n_steps = len(next(iter(data.losses.values())))
        for axes in (left, right):
            axes.set(xlim=(0, n_steps), xlabel="step", yscale="log")
            axes.axvline(at, color=GREY, linewidth=1, linestyle=(0, (2, 2)))
        note = {"xycoords": left.get_xaxis_transform(), "va": "top", "color": GREY}
        left.annotate("the bad batch", (at + 4, 0.98), **note)
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
            return list(lines.values())

        update(data)
        return update

    return draw


def say_for(at: int):
    """Return a ``say``; the bad batch comes at step ``at``."""

    def say(data) -> str:
        parts = "; ".join(
            f"{name}: update {data.sizes[name][at - 1]:.2g} long, loss "
            f"{data.losses[name][at - 2]:.2g} before it, {data.losses[name][at - 1]:.2g} after, "
            f"{data.losses[name][-1]:.2g} at the end"
            for name in data.losses
        )
        return f"{data.optimiser}, noise {data.noise:g} times as large in step {at}. {parts}."

    return say
