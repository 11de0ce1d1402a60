"""Twenty weights, three corrupted batches, and what clipping and skipping make of it."""

import numpy as np

from course_lib.plots.style import GREY, TRAIN, K, Q, reference_line

LOOKS = {"nothing": (TRAIN, "-"), "clip": (K, "--"), "skip": (Q, "-.")}
DISTANCES, NORMS = (0.05, 1e5), (0.05, 1e7)


def draw_for(spikes):
    """Return a ``draw``; ``spikes`` are the steps with corrupted batches."""

    def draw(fig, data):
        left, right = fig.subplots(1, 2)
        steps = np.arange(len(data.norms) + 1)
        lines = {
            name: left.plot(steps, data.distances[name], color=c, linestyle=dash, label=name)[0]
            for name, (c, dash) in LOOKS.items()
        }
        left.set(yscale="log", ylim=DISTANCES, xlim=(0, steps[-1]), xlabel="step")
        left.set_ylabel("distance from the right weights")
        left.legend(loc="upper left", ncols=3, handlelength=3)
        (norms,) = right.plot(steps[1:], data.norms, color=TRAIN, linewidth=1.2)
        right.set(yscale="log", ylim=NORMS, xlim=(0, steps[-1]), xlabel="step")
        right.set_ylabel("gradient norm, nothing done")
        bar, text = reference_line(right, 1.0, "")
        text.set_bbox({"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1})
        for panel in (left, right):
            for spike in spikes:
                panel.axvline(spike, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)

        def update(data):
            for name, line in lines.items():
                line.set_ydata(np.clip(data.distances[name], *DISTANCES))
            norms.set_ydata(np.clip(data.norms, *NORMS))
            level = data.factor * float(np.median(data.norms[: spikes[0] - 1]))
            bar.set_ydata([level, level])
            text.xy = (0, level)
            text.set_text(f"{data.factor:g} × usual")
            return [*lines.values(), norms, bar, text]

        update(data)
        return update

    return draw


def say(data) -> str:
    """Say where each run ends, and how many batches were skipped."""
    ends = ", ".join(f"{name} {values[-1]:.2g}" for name, values in data.distances.items())
    times = f"Targets {data.size:g} times too large in three batches"
    return f"{times}: distance at the end {ends}; the guard skipped {data.n_skipped} batches."
