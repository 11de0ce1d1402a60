"""One position's features before and after layer norm and RMS norm, as three histograms."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V

# Fixed limits; what lies further out is counted in the last bar and marked at the edge.
BEFORE = np.linspace(-60, 60, 61)
AFTER = np.linspace(-8.5, 8.5, 35)  # 64 features: none gets further out than the root of 64


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
            mark.set_xdata([_inside(values[-1], bins)])
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
    bins = BEFORE if before else AFTER
    ticks = [-60, -30, 0, 30, 60] if before else [-8, -4, 0, 4, 8]
    axes.set(xlim=(bins[0], bins[-1]), xticks=ticks)
    axes.set(ylim=(0, 1.05), xlabel="value of a feature")
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_title(title)
    steps = axes.stairs(_shares(values, bins), bins, fill=True, color=colour)
    place = [_inside(values[-1], bins)]
    (mark,) = axes.plot(place, [0.04], "v", markersize=9, color=K, clip_on=False)
    words = axes.text(0.03, 0.97, _words(values), transform=axes.transAxes, va="top", color=GREY)
    return steps, mark, words, bins


def _shares(values, bins):
    counts, _ = np.histogram(_inside(values, bins), bins)
    return counts / len(values)


def _inside(values, bins):
    return np.clip(values, bins[0], bins[-1])


def _words(values) -> str:
    return f"mean {_number(values.mean())}\nst. dev. {_number(values.std())}"


def _number(value) -> str:
    return f"{0.0 if abs(value) < 1e-9 else value:.3g}"
