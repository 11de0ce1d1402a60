"""One position's features before and after layer norm and RMS norm, as histograms."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, V

# Fixed limits; what lies further out is counted in the last bar, and its mark points outwards.
BEFORE = np.linspace(-60, 60, 61)
AFTER = np.linspace(-10, 10, 41)
TALLEST = 0.8  # share of the features
DECADES = np.logspace(-5, 1, 49)


def draw(fig, data):
    """Draw one ``Normalised``; the update moves bars and marks, never the axes."""
    panels = fig.subplots(1, 3, width_ratios=(1.1, 1, 1), sharey=True)
    titles = ("before", "after layer norm", "after RMS norm")
    parts = [
        _panel(axes, values, title, colour, before=index == 0)
        for index, (axes, values, title, colour) in enumerate(
            zip(panels, _all(data), titles, (GREY, Q, V), strict=True)
        )
    ]
    panels[0].set_ylabel("share of the features")

    def update(data):
        for part, values in zip(parts, _all(data), strict=True):
            _move(*part, values)
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


def draw_beside_eps(fig, data):
    """Draw how far features lie from their mean, beside the root of eps, and what comes out."""
    left, right = fig.subplots(1, 2, sharey=True)
    left.set(xscale="log", xlim=(DECADES[0], DECADES[-1]), ylabel="share of the features")
    left.set(xlabel="distance of a feature from the mean", title="before")
    sizes = left.stairs(_shares(_distances(data), DECADES), DECADES, fill=True, color=GREY)
    line = left.axvline(_root(data), color=K, linestyle=(0, (4, 3)), linewidth=1.6)
    label = left.text(
        _root(data), 0.97, " root of eps", transform=left.get_xaxis_transform(),
        color="#B85100", va="top",
    )  # fmt: skip
    part = _panel(right, np.asarray(data.layer), "after layer norm", Q, before=False, mark=False)

    def update(data):
        sizes.set_data(_shares(_distances(data), DECADES))
        line.set_xdata([_root(data)] * 2)
        label.set_x(_root(data))
        _move(*part, np.asarray(data.layer))
        return [sizes, line, label, part[0], part[2]]

    return update


def say_beside_eps(data) -> str:
    """Say the spread that goes in, the root of eps, and the spread that comes out."""
    before, layer, _ = _all(data)
    return (
        f"Before: standard deviation {_number(before.std())}; the root of eps is "
        f"{_number(_root(data))}. After layer norm: standard deviation {_number(layer.std())}."
    )


def _root(data) -> float:
    return float(np.sqrt(data.eps))


def _distances(data):
    before = np.asarray(data.before)
    return np.abs(before - before.mean())


def _all(data):
    return [np.asarray(values) for values in (data.before, data.layer, data.rms)]


def _panel(axes, values, title, colour, before, mark=True):
    """A histogram with the marked feature as a triangle on the axis."""
    bins = BEFORE if before else AFTER
    ticks = [-60, -30, 0, 30, 60] if before else [-10, -5, 0, 5, 10]
    axes.set(xlim=(bins[0], bins[-1]), xticks=ticks, title=title)
    axes.set(ylim=(0, TALLEST), xlabel="value of a feature")
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8], ["0%", "20%", "40%", "60%", "80%"])
    steps = axes.stairs(_shares(values, bins), bins, fill=True, color=colour)
    (triangle,) = axes.plot([0], [0.03], "v", markersize=9, color=K, clip_on=False, visible=mark)
    words = axes.text(0.03, 0.97, "", transform=axes.transAxes, va="top", color=GREY)
    _move(steps, triangle, words, bins, values)
    return steps, triangle, words, bins


def _move(steps, triangle, words, bins, values):
    """Put the artists of one panel where these values have them."""
    marked, marker = values[-1], "v"
    if not bins[0] <= marked <= bins[-1]:
        marker = ">" if marked > 0 else "<"
    steps.set_data(_shares(values, bins))
    triangle.set(xdata=[np.clip(marked, bins[0], bins[-1])], marker=marker)
    lines = [f"mean {_number(values.mean())}", f"st. dev. {_number(values.std())}"]
    lines += [f"marked {_number(marked)}"] if triangle.get_visible() else []
    words.set_text("\n".join(lines))


def _shares(values, bins):
    counts, _ = np.histogram(np.clip(values, bins[0], bins[-1]), bins)
    return counts / len(values)


def _number(value) -> str:
    return f"{0.0 if abs(value) < 1e-9 else value:.3g}"
