"""A share that settles: heads among more and more flips, with the range that chance allows."""

import numpy as np

from course_lib.plots.style import GREY, Q


def draw(fig, history):
    """Draw the share after every flip; the limits are fixed from the start."""
    axes = fig.subplots()
    steps = np.arange(1, 2001)
    axes.fill_between(steps, 0.5 - 1 / np.sqrt(steps), 0.5 + 1 / np.sqrt(steps),
                      color=GREY, alpha=0.15, linewidth=0)  # fmt: skip
    axes.axhline(0.5, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.set(xscale="log", xlim=(1, 2000), ylim=(0, 1), xlabel="flips", ylabel="share of heads")
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    note = "at each point, 95% of all runs lie in the grey"
    axes.annotate(note, (0.98, 0.06), xycoords="axes fraction", ha="right", color=GREY)
    (curve,) = axes.plot([], [], color=Q)

    def update(history):
        curve.set_data([r.step for r in history], [r.share for r in history])
        return [curve]

    update(history)
    return update


def say(history) -> str:
    """Say how many flips there were, and the share of heads among them."""
    if not history:
        return "No coin is flipped yet."
    last = history[-1]
    return f"After {last.step} flips, {last.share:.1%} were heads."
