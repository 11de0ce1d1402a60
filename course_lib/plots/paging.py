"""A memory full of texts: what stands in every place, and what share of it is of use."""

import numpy as np
from matplotlib.colors import ListedColormap

from course_lib.plots.style import FAINT, GREY, VALIDATION, Q, label_line

COLUMNS = 256
FREE, EMPTY, MINE = 0, 1, 2  # then the shades of the other texts' tokens
CELLS = ListedColormap(["white", VALIDATION, "#00324F", "#7FB7D9", "#4C98C8", "#A9CFE6"])
SHADES = 3


def draw(fig, data):
    """Draw a ``MemoryMap``: its places row by row, and the share used against the block size."""
    left, right = fig.subplots(1, 2, width_ratios=(2.1, 1))
    image = left.imshow(_cells(data), cmap=CELLS, vmin=0, vmax=len(CELLS.colors) - 1,
                        interpolation="nearest", aspect="auto")  # fmt: skip
    left.set(xticks=[], yticks=[])
    left.set_xlabel(
        "blue: tokens (darkest: the longest text's)\norange: reserved and empty; white: free"
    )
    title = left.set_title(_title(data))
    curve, mark, number = _curve(right, data)

    def update(data):
        image.set_data(_cells(data))
        title.set_text(_title(data))
        curve.set_ydata(np.asarray(data.shares))
        _place(mark, number, data)
        return [image, title, curve, mark, number]

    return update


def say(data) -> str:
    """Say how many texts have room, and how much of what is reserved such texts use."""
    return (
        f"Blocks of {data.block_size}: {data.n_texts} texts have room in {data.owners.shape[0]:,} "
        f"places, in {data.entries:,} blocks. Over many such texts, {data.share:.1%} of the "
        "places reserved hold a token."
    )


def _curve(axes, data):
    """The share used against the block size, with a mark where the figure stands."""
    shares = np.asarray(data.shares)
    (curve,) = axes.plot(2.0 ** np.arange(len(shares)), shares, color=Q)
    axes.set(xscale="log", ylim=(0, 1.05), xlabel="places in a block (logarithmic)")
    axes.set_ylabel("share of reserved places\nthat hold a token")
    axes.set_xticks([1, 16, 256, 2048], ["1", "16", "256", "2048"])
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    (mark,) = axes.plot([1], [1], "o", color=GREY, markersize=8)
    number = label_line(axes, 1, 1, "", "black", dx=0, dy=-15)
    _place(mark, number, data)
    axes.set_xlim(0.7, 3000)
    return curve, mark, number


def _place(mark, number, data) -> None:
    """Move the mark and its number to where the figure stands on the curve."""
    mark.set_data([data.block_size], [data.share])
    number.xy = (float(data.block_size), float(data.share))
    number.set_text(f"{data.share:.1%}")
    number.set_ha("left" if data.block_size < 16 else "right")


def _title(data) -> str:
    return f"{data.owners.shape[0]:,} places, a row of 256 after the other: {data.n_texts} texts"


def _cells(data):
    """Free, empty, the longest text's tokens, or the shade of another text's."""
    owners, filled = np.asarray(data.owners), np.asarray(data.filled)
    mine = np.bincount(owners[filled]).argmax()
    cells = np.where(filled, MINE + 1 + owners % SHADES, np.where(owners >= 0, EMPTY, FREE))
    cells[filled & (owners == mine)] = MINE
    return cells.reshape(-1, COLUMNS)
