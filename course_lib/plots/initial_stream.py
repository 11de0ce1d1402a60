"""Where a fresh stack's stream ends, against its depth, for several ways to draw the writers."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V, label_line

LOOKS = {
    "not scaled": (K, "s"),
    "as a standard deviation": (Q, "o"),
    "as a variance": (V, "^"),
}
RACE_LOOKS = ((K, "--"), (Q, "-"), (V, "-."))  # the same colours, for curves without marks
LIMITS = (2e-3, 5e4)  # hold every spread of the sliders, fresh weights and shared ones
SAME = "one block's weights in all blocks"


def draw(fig, data):
    """Draw one ``StreamEnds``: both axes logarithmic, a line a reading, its last value beside."""
    axes = fig.subplots()
    axes.set(xscale="log", yscale="log", ylim=LIMITS, xlim=(1.7, 80))
    axes.set(xlabel="number of blocks", ylabel="variance of the stream\nafter the last block")
    axes.set_xticks(data.depths, [str(depth) for depth in data.depths])
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT)
    one = axes.axhline(1, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), label="1")
    title = axes.set_title(_title(data))
    lines, labels = {}, {}
    for reading, ends in data.variances.items():
        colour, mark = LOOKS[reading]
        (lines[reading],) = axes.plot(data.depths, ends, color=colour, marker=mark, label=reading)
        labels[reading] = label_line(axes, *_end(data, reading), _number(ends), colour, dx=9)
    legend = {"loc": "outside right center", "handlelength": 3, "title": "writers drawn"}
    fig.legend(handles=[*reversed(lines.values()), one], **legend)

    def update(data):
        for reading, ends in data.variances.items():
            lines[reading].set_ydata(ends)
            labels[reading].xy = _end(data, reading)
            labels[reading].set_text(_number(ends))
        title.set_text(_title(data))
        return [*lines.values(), *labels.values(), title]

    return update


def say(data) -> str:
    """Say from where to where each reading goes."""
    first, last = data.depths[0], data.depths[-1]
    parts = (f"{r} from {_number(v[:1])} to {_number(v)}" for r, v in data.variances.items())
    return f"{_title(data)}. From {first} to {last} blocks the end goes: {'; '.join(parts)}."


def _end(data, reading: str) -> tuple[float, float]:
    """Depth and variance of the deepest stack."""
    return float(data.depths[-1]), float(np.asarray(data.variances[reading])[-1])


def _number(ends) -> str:
    """The variance of the deepest stack to two digits, without an exponent."""
    return np.format_float_positional(
        float(np.asarray(ends)[-1]), precision=2, fractional=False, trim="-"
    )


def _title(data) -> str:
    weights = SAME if data.same_weights else "fresh weights in every block"
    return f"Standard deviation {data.std:g}, {weights}"
