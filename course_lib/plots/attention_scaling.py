"""Why sqrt(d_k): the scores, the attention map and the gradient of one draw, side by side."""

import numpy as np
from matplotlib.colors import LogNorm

from course_lib.plots.style import GREY, SEQUENTIAL, K, Q, label_line

BINS = np.linspace(-100, 100, 51)
N_SHOWN = 24  # queries on the map: few enough to see single cells
LEAST = 1e-3  # shares below this are drawn in the darkest colour
FLOOR = 1e-6  # gradients below this are drawn on the lower edge


def draw(fig, data):
    """Draw one ``ScaledScores``; the update moves histogram, map and curve, never the axes."""
    left, middle, right = fig.subplots(1, 3, width_ratios=(1.15, 1, 1.15))
    moving = [*_scores(left, data), *_map(middle, data), *_gradients(right, data)]
    steps, spread, image, curve, dot, median = moving

    def update(data):
        steps.set_data(_shares(data))
        spread.set_text(_spread(data))
        image.set_data(_shown(data))
        levels = _levels(data)
        curve.set_ydata(levels)
        dot.set_ydata([_median(data)])
        median.set_text(f"median {_median(data):.1g}")
        median.xy = (0.5, _median(data))
        return [steps, spread, image, curve, dot, median]

    return update


def say(data) -> str:
    """Say how far the scores spread, how much the largest share is, and what gradient is left."""
    largest = float(np.median(np.asarray(data.probs).max(axis=-1)))
    return (
        f"d_k = {data.d_k}, scores divided by {_divisor(data)}: their standard deviation is "
        f"{np.asarray(data.scores).std():.2g}. In the median row the best key takes "
        f"{100 * largest:.0f}% of the attention, and the gradient through softmax has size "
        f"{_median(data):.1g}."
    )


def _divisor(data) -> str:
    if data.exponent == 0:
        return "nothing"
    return "sqrt(d_k)" if data.exponent == 0.5 else f"d_k^{data.exponent:g}".removesuffix("^1")


def _scores(axes, data):
    """Histogram of all scores, with limits that hold the widest case."""
    axes.set(xlim=(-100, 100), ylim=(0, 0.65), xlabel="score", ylabel="share of the scores")
    axes.set_yticks([0, 0.2, 0.4, 0.6], ["0%", "20%", "40%", "60%"])
    axes.set_title("all scores")
    steps = axes.stairs(_shares(data), BINS, fill=True, color=Q)
    spread = axes.text(0.03, 0.98, _spread(data), transform=axes.transAxes, va="top", color=GREY)
    return steps, spread


def _map(axes, data):
    """How the first queries share out their attention over all keys; colours never rescale."""
    image = axes.imshow(
        _shown(data), cmap=SEQUENTIAL, norm=LogNorm(LEAST, 1), interpolation="nearest",
        aspect="auto",
    )  # fmt: skip
    axes.set(xlabel="64 keys", ylabel="24 queries", xticks=[], yticks=[])
    axes.set_title("share of the attention")
    bar = axes.figure.colorbar(image, ax=axes, ticks=[1e-3, 1e-2, 0.1, 1], fraction=0.06, pad=0.03)
    bar.ax.set_yticklabels(["0.1%", "1%", "10%", "100%"])
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    return (image,)


def _gradients(axes, data):
    """Size of the gradient of every row, smallest row first."""
    axes.set(xlim=(0, 1), ylim=(FLOOR, 1), yscale="log")
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set(xlabel="share of rows, smallest first", ylabel="size of the Jacobian")
    axes.set_title("gradient through softmax")
    levels = _levels(data)
    (curve,) = axes.plot((np.arange(len(levels)) + 0.5) / len(levels), levels, color=K)
    (dot,) = axes.plot([0.5], [_median(data)], "o", color=K)
    median = label_line(axes, 0.5, _median(data), f"median {_median(data):.1g}", GREY, dx=8, dy=-14)
    return curve, dot, median


def _shares(data):
    counts, _ = np.histogram(np.clip(np.asarray(data.scores), -99.9, 99.9), BINS)
    return counts / counts.sum()


def _spread(data) -> str:
    return f"standard\ndeviation {np.asarray(data.scores).std():.2g}"


def _shown(data):
    return np.maximum(np.asarray(data.probs)[:N_SHOWN], LEAST)


def _levels(data):
    return np.sort(np.maximum(np.asarray(data.gradients), FLOOR))


def _median(data) -> float:
    return float(np.median(_levels(data)))
