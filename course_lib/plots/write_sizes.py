"""What attention and the feed-forward layer add, block by block: measured and foretold."""

import numpy as np

from course_lib.plots.style import TRAIN, label_line

COLOURS = (TRAIN, "#8C5A7C")  # black, and the course's accent, darkened to be read as text


def draw(fig, data):
    """Draw ``data``: ``{"attention": (measured, foretold), "feed-forward": (..., ...)}``."""
    axes = fig.subplots()
    axes.set(xlabel="block", ylabel="variance that is added")
    for (name, (measured, foretold)), colour, mark in zip(
        data.items(), COLOURS, ("o", "s"), strict=True
    ):
        blocks = np.arange(1, len(measured) + 1)
        axes.plot(blocks, foretold, color=colour, linewidth=1.5, linestyle="--")
        axes.plot(blocks, measured, mark, color=colour)
        label_line(axes, float(blocks[-1]), float(foretold[-1]), name, colour, dx=10)
    axes.set(xlim=(0.5, 1.28 * len(measured)), ylim=(0, None))
    axes.set_xticks(blocks)
    axes.set_title("dots: measured; dashed: foretold")


def say(data) -> str:
    """Say what the first and the last block add, and how far the forecast is off at most."""
    parts = []
    for name, (measured, foretold) in data.items():
        measured, foretold = np.asarray(measured), np.asarray(foretold)
        off = np.abs(measured / foretold - 1).max()
        parts.append(
            f"{name} adds {measured[0]:.3f} in the first block and {measured[-1]:.3f} in the last, "
            f"at most {off:.0%} off the forecast"
        )
    return f"Over {len(measured)} blocks, {'; '.join(parts)}."
