"""Weights, keys and values in a card's memory, and the work that the cache saves."""

import numpy as np
from matplotlib.colors import ListedColormap

from course_lib.plots.style import AS_TEXT, FAINT, GREY, K, Q, V

GIB = 2**30
ROWS, COLUMNS = 16, 64  # cells of 128 MiB; a column is 2 GiB
CELL = 128 * 2**20
FREE, WEIGHTS, KEYS, VALUES = range(4)
_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
COLOURS = ListedColormap(["#F2F2F2", "#8C8C8C", K, V])


def draw(fig, data):
    """Draw a ``CacheGrowth``: memory in cells, and operations for the next token as dots."""
    left, right = fig.subplots(1, 2, width_ratios=(2.2, 1))
    extent = (0, ROWS * COLUMNS * CELL / GIB, 0, 1)
    image = left.imshow(_cells(data), cmap=COLOURS, vmin=0, vmax=3, interpolation="nearest",
                        aspect="auto", extent=extent)  # fmt: skip
    left.set(yticks=[], xlabel="memory (GiB), a cell is 128 MiB", xticks=range(0, 129, 16))
    above = [*_grid(left), *_card_end(left, data.memory / GIB), *_names(left)]
    title = left.set_title(_title(data))
    dots, numbers = _work(right, data)

    def update(data):
        image.set_data(_cells(data))
        title.set_text(_title(data))
        for dot, number, count in zip(dots, numbers, (data.anew, data.kept), strict=True):
            dot.set_xdata([count])
            number.xy = (count, number.xy[1])
            number.set_text(_count(count))
        return [image, title, *above, *dots, *numbers]

    return update


def say(data) -> str:
    """Say what the cache takes and what it saves."""
    texts = "1 text" if data.n_texts == 1 else f"{data.n_texts} texts"
    heads = "1 head" if data.n_kv_heads == 1 else f"{data.n_kv_heads} heads"
    left = data.memory - data.weights - data.cache
    room = "which fits" if left >= 0 else f"{-left / GIB:.1f} GiB more than the card has"
    return (
        f"{texts} of {data.n_tokens:,} tokens, {heads} of keys and values, "
        f"{_bytes(data.bytes_per_number)} a number: the cache takes {_size(data.cache)}, the "
        f"weights {data.weights / GIB:.1f} GiB, {room}. The next token takes "
        f"{_count(data.anew)} operations when all is read anew and {_count(data.kept)} with the "
        f"cache: {data.anew / data.kept:,.0f} times fewer."
    )


def _work(axes, data):
    """Two dots: everything read anew, and the last token alone; bars would need a beginning."""
    axes.set(xscale="log", xlim=(1e9, 1e18), ylim=(1.6, -0.6))
    axes.set(yticks=[0, 1], yticklabels=["all read\nanew", "with the\ncache"])
    axes.set_xticks([1e9, 1e11, 1e13, 1e15])
    axes.minorticks_off()
    axes.grid(axis="x", color=FAINT)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("operations for one text's\nnext token (logarithmic)")
    dots, numbers = [], []
    for row, count in enumerate((data.anew, data.kept)):
        dots += axes.plot([count], [row], "o", color=(GREY, Q)[row], markersize=9)
        numbers.append(axes.annotate(_count(count), (count, row), (8, 0),
                                     textcoords="offset points", va="center_baseline"))  # fmt: skip
    return dots, numbers


def _grid(axes):
    """White lines between the cells."""
    across = axes.hlines(np.arange(1, ROWS) / ROWS, 0, 128, color="white", linewidth=0.7)
    down = axes.vlines(np.arange(1, COLUMNS) * 2, 0, 1, color="white", linewidth=0.7)
    return across, down


def _card_end(axes, end: float):
    """A line where the card's memory ends, with its meaning."""
    line = axes.axvline(end, color="black", linewidth=2.5)
    words = axes.annotate(f"the card ends: {end:g} GiB", (end, 0), (5, 5),
                          textcoords="offset points", va="bottom", bbox=_BOX)  # fmt: skip
    return line, words


def _names(axes):
    """What the colours mean, at the right end of the memory."""
    named = (("weights", "#595959"), ("keys", AS_TEXT[K]), ("values", AS_TEXT[V]))
    return [
        axes.annotate(name, (1, 1), (-6, -6 - 18 * line), xycoords="axes fraction", ha="right",
                      textcoords="offset points", color=colour, va="top", bbox=_BOX)
        for line, (name, colour) in enumerate(named)
    ]  # fmt: skip


def _cells(data):
    """Weights first, then keys and values, column by column."""
    ends = np.cumsum([data.weights, data.cache / 2, data.cache / 2]) / CELL
    middle = np.arange(ROWS * COLUMNS) + 0.5
    cells = np.full(ROWS * COLUMNS, FREE)
    for kind, end in reversed(list(zip((WEIGHTS, KEYS, VALUES), ends, strict=True))):
        cells[middle < end] = kind
    return cells.reshape(COLUMNS, ROWS).T[::-1]


def _title(data) -> str:
    return f"cache: {_size(data.cache)}, {_size(data.cache / data.n_texts / data.n_tokens)} a token"


def _count(operations: int) -> str:
    return f"{operations / 1e9:,.0f} billion"


def _bytes(n: int) -> str:
    return "1 byte" if n == 1 else f"{n} bytes"


def _size(n_bytes: float) -> str:
    """Bytes in the unit in which the number is easy to read."""
    for size, unit in ((GIB, "GiB"), (2**20, "MiB"), (1024, "KiB")):
        if n_bytes >= size:
            return f"{n_bytes / size:.{3 if n_bytes < 1000 * size else 4}g} {unit}"
    return f"{n_bytes:.0f} bytes"
