"""Measurements against the width d_k: the variance of scores, and the gradient through softmax."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V, label_line

MARKS = {"gaussian": ("o", Q), "uniform": ("s", K), "coin flips": ("^", V)}


def draw_variances(fig, data):
    """Draw Var(q.k) against d_k, once for each way to draw the entries, and the line y = d_k.

    ``data`` is ``(widths, {name: variances})``.
    """
    widths, measured = data
    axes = fig.subplots()
    axes.set(xscale="log", yscale="log", xlabel="width d_k", ylabel="variance of q.k")
    axes.set_xticks(widths, [str(w) for w in widths])
    axes.set_yticks(widths, [str(w) for w in widths])
    axes.minorticks_off()
    axes.plot(widths, widths, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    label_line(axes, widths[-1], widths[-1], "y = d_k", GREY, dx=14)
    for shift, (name, variances) in zip((0.9, 1.0, 1.1), measured.items(), strict=False):
        mark, colour = MARKS[name]
        axes.plot(np.asarray(widths) * shift, np.asarray(variances), mark, color=colour, label=name)
    axes.legend(title="entries drawn as", loc="upper left")


def say_variances(data) -> str:
    """Say how far the measured variances are from d_k."""
    widths, measured = data
    ratios = np.concatenate([np.asarray(v) / np.asarray(widths) for v in measured.values()])
    return (
        f"The variance of q.k over d_k lies between {ratios.min():.3f} and {ratios.max():.3f} for "
        f"{len(widths)} widths and {len(measured)} ways to draw the entries: the points lie on "
        "y = d_k."
    )


def draw_gradients(fig, data):
    """Draw the size of softmax's Jacobian against d_k: unscaled on the left, scaled on the right.

    ``data`` is ``(widths, unscaled, scaled)``, the last two with low, median, high and mean.
    """
    widths, *sides = data
    panels = fig.subplots(1, 2, sharey=True)
    titles = ("scores not divided", "scores divided by sqrt(d_k)")
    for axes, title, side in zip(panels, titles, sides, strict=True):
        _gradient_panel(axes, np.asarray(widths), side)
        axes.set_title(title)
    panels[0].set_ylabel("size of the Jacobian")
    panels[0].annotate("80% of the rows\nlie in the band", (0.03, 0.04), xycoords="axes fraction")


def _gradient_panel(axes, widths, side):
    low, median, high, mean = (
        np.maximum(np.asarray(side[name]), 1e-6) for name in ("low", "median", "high", "mean")
    )
    axes.set(xscale="log", yscale="log", ylim=(1e-6, 2), xlabel="width d_k")
    axes.set_xticks(widths, [str(w) for w in widths])
    axes.minorticks_off()
    axes.fill_between(widths, low, high, color=K, alpha=0.18, linewidth=0)
    axes.plot(widths, mean, color=GREY, linestyle="--", marker="s", markersize=4)
    axes.plot(widths, median, color=K, marker="o")
    apart = abs(np.log10(mean[-1] / median[-1])) > 0.3
    label_line(axes, float(widths[-1]), float(mean[-1]), "mean", GREY, dy=6 if not apart else 0)
    label_line(axes, float(widths[-1]), float(median[-1]), "median", K, dy=-6 if not apart else 0)


def say_gradients(data) -> str:
    """Say what is left of the median and the mean at the largest width."""
    widths, unscaled, scaled = data
    return (
        f"At d_k = {widths[-1]} without scaling the median row has a gradient of size "
        f"{float(unscaled['median'][-1]):.1g}, the mean over rows is "
        f"{float(unscaled['mean'][-1]):.2g}. With scaling both stay near "
        f"{float(scaled['median'][-1]):.2g} at every width."
    )
