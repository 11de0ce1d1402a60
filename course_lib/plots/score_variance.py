"""The variance of attention scores in real models: at the start, and while one learns."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, label_line, reference_line


def draw_starts(fig, data):
    """Draw predicted and measured variance of the scaled scores, one row for each start.

    ``data`` is a list of ``(name, predicted, measured)``.
    """
    axes = fig.subplots()
    rows = list(range(len(data)))[::-1]
    axes.axvline(1, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.annotate("variance 1", (1, 1), (5, 4), xycoords=("data", "axes fraction"),
                  textcoords="offset points", color=GREY, va="bottom")  # fmt: skip
    axes.plot([p for _, p, _ in data], rows, "|", color=Q, markersize=18, markeredgewidth=2)
    axes.plot([m for _, _, m in data], rows, "o", color=K)
    for row, (_, predicted, measured) in zip(rows, data, strict=True):
        label_line(axes, max(predicted, measured), row, f"{measured:.3g}", K, dx=9)
    axes.set(xscale="log", xlim=(0.05, 60), ylim=(-0.6, len(data) - 0.4))
    axes.set_xlabel("variance of a scaled score (bar: predicted, dot: measured)")
    axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.set_yticks(rows, [name for name, _, _ in data])


def say_starts(data) -> str:
    """Say the range of the measured variances, and how well they were predicted."""
    worst = max(abs(m / p - 1) for _, p, m in data)
    low, high = min(m for *_, m in data), max(m for *_, m in data)
    return (
        f"Scaled scores of fresh models have a variance from {low:.2g} to {high:.3g}; the "
        f"prediction is right to within {100 * worst:.0f}%."
    )


def draw_learning(fig, run):
    """Draw the loss and the score variance of every head over the steps of a ``CopierRun``."""
    left, right = fig.subplots(1, 2)
    left.plot(run.steps, run.losses, color="black")
    left.set(xlabel="step", ylabel="loss (nats per letter)", ylim=(0, None))
    left.set_title("the model learns to copy")
    heads = np.asarray(run.variances).reshape(len(run.steps), -1)
    right.plot(run.steps, heads, color=K, alpha=0.35, linewidth=1.2)
    right.plot(run.steps, heads.mean(axis=1), color=K)
    label_line(right, run.steps[-1], float(heads[-1].mean()), "mean", K)
    right.set(xlabel="step", ylabel="variance of scaled scores", yscale="log", ylim=(0.1, 30))
    right.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    right.set_title("every head, and their mean")
    reference_line(right, 1, "variance 1", at=1.0, below=True)


def say_learning(run) -> str:
    """Say where the variance starts and where it ends."""
    means = np.asarray(run.variances).reshape(len(run.steps), -1).mean(axis=1)
    return (
        f"One run: in {run.steps[-1]} steps the loss falls from {run.losses[0]:.2f} to "
        f"{run.losses[-1]:.2g} nats, and the variance of the scaled scores, averaged over heads, "
        f"goes from {means[0]:.1g} to {means[-1]:.2g}."
    )
