"""Gradients by layer in a deep stack, beside what the stream does on its way up."""

import numpy as np

from course_lib.plots.style import FAINT, GREY, K, Q, V

# Values pair with what they feed: O is drawn with V's hue, W1 and W2 in black.
LOOKS = {
    "Q": (Q, "-", "o"),
    "K": (K, "--", "s"),
    "V": (V, "-", "^"),
    "O": (V, ":", "v"),
    "W1": ("#000000", "--", "D"),
    "W2": ("#000000", "-", "x"),
}
TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def draw_for(deepest: int, lowest: float, highest: float):
    """Return a ``draw`` whose axes hold stacks up to so many blocks and ratios in this range.

    Left, the gradient of each matrix by block, relative to its own in the last block.  Right,
    the stream's standard deviation on the way up, and its gradient, relative to those at the top.
    What lies beyond the range is drawn on the edge.
    """

    def draw(fig, data):
        left, right = fig.subplots(1, 2, width_ratios=(1.25, 1))
        for axes in (left, right):
            _empty(axes, deepest, lowest, highest)
        left.set(title="gradients of the weights", ylabel="in this block / in the last block")
        right.set(title="the stream between the blocks", ylabel="here / at the top")
        right.set_xlabel("blocks below")
        lines = {
            name: left.plot([], [], color=colour, linestyle=dash, marker=marker,
                            markersize=4, linewidth=1.6, label=name)[0]
            for name, (colour, dash, marker) in LOOKS.items()
        }  # fmt: skip
        left.legend(ncols=3, loc="upper right", handlelength=3)
        (gradient,) = right.plot([], [], color="#000000", label="gradient")
        (spread,) = right.plot([], [], color=K, linestyle="--", label="standard deviation")
        right.legend(loc="upper right", handlelength=3)

        def update(data):
            for i, line in enumerate(lines.values()):
                blocks, ratios = _weights(data, i)
                line.set_data(blocks, np.clip(ratios, lowest, highest))
            for line, values in ((gradient, data.stream), (spread, _spread(data))):
                places, ratios = _relative(values)
                line.set_data(places, np.clip(ratios, lowest, highest))
            return [*lines.values(), gradient, spread]

        update(data)
        return update

    return draw


draw = draw_for(48, 0.05, 100.0)


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


def _empty(axes, deepest: int, lowest: float, highest: float) -> None:
    """Axes with limits that stand still."""
    axes.set(xlim=(0, deepest + 1), ylim=(lowest, highest), yscale="log")
    axes.set(xlabel="block, counted from the input")
    axes.set_xticks(range(0, deepest + 1, deepest // 4 if deepest > 12 else 2))
    ticks = [tick for tick in TICKS if lowest <= tick <= highest]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.axhline(1, color=GREY, linewidth=1, zorder=1)
    axes.grid(axis="y", color=FAINT)


def _weights(data, matrix: int):
    """Blocks, and the gradient of one matrix in each, relative to the last block's."""
    column = np.asarray(data.weights)[:, matrix]
    return np.arange(1, len(column) + 1), column / column[-1]


def _relative(values):
    """Places, and what was measured there, relative to the top."""
    values = np.asarray(values)
    return np.arange(len(values)), values / values[-1]


def _spread(data):
    return np.sqrt(np.asarray(data.variance))


def _plain(number) -> str:
    """Two digits, without an exponent as long as that is readable."""
    number = float(number)
    return f"{number:.2g}" if number < 100 or number >= 1e4 else f"{number:.0f}"
