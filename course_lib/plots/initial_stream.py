"""The variance of a fresh stack's stream after each block, for one way to draw the writers."""

import numpy as np

from course_lib.plots.style import GREY, K, Q, label_line

LIMITS = (1e-4, 3e3)  # hold every depth, spread and reading of the sliders
DEEPEST = 24


def draw(fig, data):
    """Draw one ``InitialStream``; the update moves curve, end point and words, never the axes."""
    axes = fig.subplots()
    axes.set(yscale="log", ylim=LIMITS, xlim=(0, DEEPEST + 3))
    axes.set(xlabel="blocks passed", ylabel="variance of the stream's features")
    axes.set_xticks([0, 6, 12, 18, 24])
    axes.axhline(1, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.text(DEEPEST + 3, 1.2, "1: what a norm makes of it", color=GREY, ha="right")
    (curve,) = axes.plot(*_points(data), color=Q)
    (end,) = axes.plot(*_end(data), "o", color=K)
    label = label_line(axes, *map(float, _end_point(data)), _number(data), K, dx=8)
    title = axes.set_title(_title(data))

    def update(data):
        curve.set_data(*_points(data))
        end.set_data(*_end(data))
        label.xy = _end_point(data)
        label.set_text(_number(data))
        title.set_text(_title(data))
        return [curve, end, label, title]

    return update


def say(data) -> str:
    """Say how the writers are drawn and what variance the last block leaves."""
    first, last = (float(np.asarray(data.variances)[i]) for i in (0, -1))
    return (
        f"{data.n_layers} blocks, all matrices with standard deviation {data.std:g}, the writers "
        f"with {data.writer_std:.3g} ({data.reading}): the variance of the stream goes from "
        f"{first:.2g} to {last:.3g}."
    )


def _points(data):
    variances = np.asarray(data.variances)
    return np.arange(len(variances)), variances


def _end_point(data):
    steps, variances = _points(data)
    return steps[-1], variances[-1]


def _end(data):
    step, variance = _end_point(data)
    return [step], [variance]


def _number(data) -> str:
    return f"{_end_point(data)[1]:.2g}"


def _title(data) -> str:
    return f"writers {data.reading}: standard deviation {data.writer_std:.3g}"
