"""Gradients by layer in a deep stack, beside what the stream does on its way up."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V, label_line

# Values pair with what they feed: O is drawn with V's hue, W1 and W2 in black.
LOOKS = {
    "Q": (Q, "-", "o"),
    "K": (K, "--", "s"),
    "V": (V, "-", "^"),
    "O": (V, ":", "v"),
    "W1": ("#000000", "--", "D"),
    "W2": ("#000000", "-", "x"),
}
LOWEST, HIGHEST = 0.05, 100.0  # what lies beyond is drawn on the edge
DEEPEST = 48  # blocks


def draw(fig, data):
    """Draw a ``GradientFlow``; the update moves lines, never the axes.

    Left, the gradient of each matrix by layer, relative to its own in the last block.  Right,
    the stream's variance on the way up, and its gradient, relative to that at the top.
    """
    left, right = fig.subplots(1, 2, width_ratios=(1.25, 1))
    _empty(left, "gradient / that of the last block", "weights, by block")
    _empty(right, "relative size", "the residual stream")
    lines = {
        name: left.plot(*_weights(data, i), color=colour, linestyle=dash, marker=marker,
                        markersize=4, linewidth=1.6, label=name)[0]
        for i, (name, (colour, dash, marker)) in enumerate(LOOKS.items())
    }  # fmt: skip
    left.legend(ncols=2, loc="upper right", handlelength=3)
    (gradient,) = right.plot(*_stream(data.stream), color="#000000")
    (spread,) = right.plot(*_stream(_spread(data)), color=K, linestyle="--")
    words = (
        label_line(right, 0.02, 0.9, "gradient", "#000000"),
        label_line(right, 0.02, 0.1, "standard deviation (dashed)", K),
    )
    for word, y in zip(words, (0.93, 0.06), strict=True):
        word.xy, word.xycoords = (0.02, y), "axes fraction"

    def update(data):
        for i, line in enumerate(lines.values()):
            line.set_data(*_weights(data, i))
        gradient.set_data(*_stream(data.stream))
        spread.set_data(*_stream(_spread(data)))
        return [*lines.values(), gradient, spread, *words]

    return update


def say(data) -> str:
    """Say the gradient in the first block over that in the last, for every matrix."""
    weights = np.asarray(data.weights)
    ratios = ", ".join(
        f"{name} {_plain(first / last)}"
        for name, first, last in zip(LOOKS, weights[0], weights[-1], strict=True)
    )
    stream, variance = np.asarray(data.stream), np.asarray(data.variance)
    return (
        f"{len(weights)} blocks. Gradient in the first block over that in the last: {ratios}. In "
        f"the stream it is {_plain(stream[0] / stream[-1])} at the bottom, relative to the top; "
        f"the variance goes from {_plain(variance[0])} to {_plain(variance[-1])}, and at the top "
        f"two tokens have a cosine of {float(np.asarray(data.likeness)[-1]):.2f}."
    )


def _empty(axes, ylabel: str, title: str) -> None:
    """Axes with limits that hold every stack of the sweep."""
    axes.set(xlim=(0, DEEPEST + 1), ylim=(LOWEST, HIGHEST), yscale="log")
    axes.set(xlabel="block, counted from the input", ylabel=ylabel)
    axes.set_xticks([0, 12, 24, 36, 48])
    axes.axhline(1, color=GREY, linewidth=1, zorder=1)
    axes.grid(axis="y", color=FAINT)
    axes.set_title(title)


def _weights(data, matrix: int):
    """Blocks, and the gradient of one matrix in each, relative to the last block's."""
    column = np.asarray(data.weights)[:, matrix]
    return np.arange(1, len(column) + 1), np.clip(column / column[-1], LOWEST, HIGHEST)


def _stream(values):
    """Places, and what was measured there, relative to the top."""
    values = np.asarray(values)
    return np.arange(len(values)), np.clip(values / values[-1], LOWEST, HIGHEST)


def _spread(data):
    return np.sqrt(np.asarray(data.variance))


def _plain(number) -> str:
    """Two digits, without an exponent as long as that is readable."""
    number = float(number)
    return f"{number:.2g}" if number < 100 or number >= 1e4 else f"{number:.0f}"
