"""One position's features before and after layer norm and RMS norm, as three histograms."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V

# Fixed limits: before, the axis is symmetric and logarithmic but for its middle.
LINEAR = 1.0
WIDEST = 1000.0
AFTER = 17.0  # the root of 256 is 16: nothing gets further out
N_BINS = 68


def draw(fig, data):
    """Draw one ``Normalised``; the update moves bars and marks, never the axes."""
    panels = fig.subplots(1, 3, width_ratios=(1.1, 1, 1))
    titles = ("before", "after layer norm", "after RMS norm")
    parts = [
        _panel(axes, values, title, colour, before=index == 0)
        for index, (axes, values, title, colour) in enumerate(
            zip(panels, _all(data), titles, (GREY, Q, V), strict=True)
        )
    ]
    panels[0].set_ylabel("share of the features")

    def update(data):
        for (steps, mark, words, bins), values in zip(parts, _all(data), strict=True):
            steps.set_data(_shares(values, bins))
            mark.set_xdata([values[-1]])
            words.set_text(_words(values))
        return [artist for part in parts for artist in part[:3]]

    return update


def say(data) -> str:
    """Say mean and standard deviation on all three sides, and where the outlier ends."""
    before, layer, rms = _all(data)
    return (
        f"Before: mean {_number(before.mean())}, standard deviation {_number(before.std())}, the "
        f"marked feature at {_number(before[-1])}. After layer norm: mean "
        f"{_number(layer.mean())}, standard deviation {_number(layer.std())}, the marked feature "
        f"at {_number(layer[-1])}. After RMS norm: mean {_number(rms.mean())}, standard deviation "
        f"{_number(rms.std())}, the marked feature at {_number(rms[-1])}."
    )


def _all(data):
    return [np.asarray(values) for values in (data.before, data.layer, data.rms)]


def _panel(axes, values, title, colour, before):
    """A histogram with the marked feature as a triangle on the axis."""
    if before:
        axes.set_xscale("symlog", linthresh=LINEAR)
        axes.set(xlim=(-WIDEST, WIDEST))
        axes.set_xticks([-1000, -100, -10, 0, 10, 100, 1000],
                        ["-1000", "", "-10", "0", "10", "", "1000"])
        axes.minorticks_off()
        reach = np.linspace(-4, 4, N_BINS + 1)  # even steps on this axis
        bins = np.where(np.abs(reach) <= 1, reach, np.sign(reach) * 10 ** (np.abs(reach) - 1))
    else:
        axes.set(xlim=(-AFTER, AFTER), xticks=[-16, -8, 0, 8, 16])
        bins = np.linspace(-AFTER, AFTER, N_BINS + 1)
    axes.set(ylim=(0, 1.05), xlabel="value of a feature")
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title(title)
    steps = axes.stairs(_shares(values, bins), bins, fill=True, color=colour)
    (mark,) = axes.plot([values[-1]], [0.04], marker="v", markersize=9, color=K, clip_on=False)
    words = axes.text(0.03, 0.97, _words(values), transform=axes.transAxes, va="top", color=GREY)
    return steps, mark, words, bins


def _shares(values, bins):
    counts, _ = np.histogram(np.clip(values, bins[0], bins[-1]), bins)
    return counts / len(values)


def _words(values) -> str:
    return f"mean {_number(values.mean())}\nst. dev. {_number(values.std())}"


def _number(value) -> str:
    return f"{0.0 if abs(value) < 1e-9 else value:.3g}"
