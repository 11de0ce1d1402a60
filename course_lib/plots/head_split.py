"""One width cut into heads: the matrix in stripes, the maps that come out, and the costs."""

import numpy as np
from matplotlib.colors import ListedColormap

from course_lib.plots.style import FAINT, GREY, K, Q

MOST = 64  # heads that the figure has room for
STRIPES = ListedColormap([Q, "#B8D9EC", "#DCEBF5"])  # the first head, then light and lighter
CELLS = ListedColormap(["white", "#EBEBEB", K])


def draw(fig, data):
    """Draw a ``HeadSplit`` and what one head would cost: ``data`` is ``(split, one_head)``."""
    left, middle, right = fig.subplots(1, 3, width_ratios=(1, 1, 2.1))
    stripes, width = _matrix(left, data[0])
    cells, count = _maps(middle, data[0])
    bars, numbers = _costs(right, data)

    def update(data):
        split = data[0]
        stripes.set_data(_stripes(split))
        width.set_text(_width(split))
        cells.set_data(_cells(split))
        count.set_text(_count(split))
        for bar, number, (_, times, amount) in zip(bars, numbers, _rows(data), strict=True):
            bar.set_width(times - bar.get_x())
            number.set_text(f"{amount:,}")
            number.xy = (times, number.xy[1])
        return [stripes, width, cells, count, *bars, *numbers]

    return update


def say(data) -> str:
    """Say what the layer costs, beside one head."""
    split, one = data
    return (
        f"{split.n_heads} head{'s' if split.n_heads > 1 else ''} of width {split.d_head} on "
        f"{split.seq_len} positions: {split.parameters:,} parameters "
        f"({split.parameters / one.parameters:.3g} times those of one head), "
        f"{split.operations:,} operations ({split.operations / one.operations:.3g} times) and "
        f"{split.probabilities:,} shares of attention "
        f"({split.probabilities / one.probabilities:.3g} times)."
    )


def _matrix(axes, split):
    """The columns of one matrix, coloured by the head that they belong to."""
    image = axes.imshow(_stripes(split), cmap=STRIPES, vmin=0, vmax=2, interpolation="nearest",
                        aspect="auto", extent=(0, split.d_model, 0, split.d_model))  # fmt: skip
    axes.set(xticks=[], yticks=[0, split.d_model], ylabel="width of the model")
    axes.set_title("columns of $W^Q$")
    text = axes.text(0.5, -0.13, _width(split), transform=axes.transAxes, ha="center", va="top",
                     color=GREY)  # fmt: skip
    return image, text


def _maps(axes, split):
    """One cell for each head: each makes an attention map of its own."""
    image = axes.imshow(_cells(split), cmap=CELLS, vmin=0, vmax=2, interpolation="nearest",
                        aspect="auto")  # fmt: skip
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.set_title("attention maps")
    text = axes.text(0.5, -0.13, _count(split), transform=axes.transAxes, ha="center", va="top",
                     color=GREY)  # fmt: skip
    return image, text


def _costs(axes, data):
    """Parameters, operations and shares, as multiples of what one head needs."""
    axes.set(xscale="log", xlim=(0.5, 1000), ylim=(2.6, -0.6))
    axes.set_xticks([1, 4, 16, 64], ["1", "4", "16", "64"])
    axes.minorticks_off()
    axes.axvline(1, color=FAINT, linewidth=1.2, zorder=0)
    axes.set_xlabel("times what one head needs (logarithmic)")
    axes.set_title("cost of the layer")
    rows = _rows(data)
    axes.set_yticks(range(3), [name for name, *_ in rows])
    axes.tick_params(axis="y", length=0)
    bars, numbers = [], []
    for row, (_, times, amount) in enumerate(rows):
        bars.append(axes.barh(row, times - 0.5, left=0.5, height=0.55, color=(Q, Q, K)[row])[0])
        numbers.append(
            axes.annotate(f"{amount:,}", (times, row), (5, 0),
                          textcoords="offset points", va="center_baseline")
        )  # fmt: skip
    return bars, numbers


def _rows(data):
    split, one = data
    names = ("parameters", "operations", "probabilities")
    words = ("parameters", "operations", "shares of\nattention")
    amounts = [(getattr(split, n), getattr(one, n)) for n in names]
    return [(w, mine / theirs, mine) for w, (mine, theirs) in zip(words, amounts, strict=True)]


def _stripes(split):
    heads = np.arange(split.d_model) // min(split.d_head, split.d_model)
    colours = np.where(heads == 0, 0, 1 + heads % 2)
    return np.broadcast_to(colours, (split.d_model, split.d_model))


def _width(split) -> str:
    if split.d_head * split.n_heads > split.d_model:
        return f"{split.n_heads} such matrices"
    return f"{split.d_head} column{'s' if split.d_head > 1 else ''} a head"


def _cells(split):
    """A square for each head that there is room for, with white gaps between them."""
    there = 1 + (np.arange(MOST) < split.n_heads).reshape(8, 8)
    square = np.pad(np.ones((8, 8)), ((0, 2), (0, 2)))
    return np.kron(there, square)[:-2, :-2]


def _count(split) -> str:
    maps = "map" if split.n_heads == 1 else "maps"
    return f"{split.n_heads} {maps}, {split.seq_len} x {split.seq_len}"
