"""Who can know what: a mask, and the measured reaction of every output to every input."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure

from course_lib.plots import style

LEAST, MOST = 5e-4, 10.0  # the limits of the colours; a reaction of exactly 0 stays white
TICKS = {0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 1: "1", 10: "10"}


def draw(fig: Figure, data):
    """Draw one ``WhoKnows``: the mask on the left, the sizes of the Jacobian on the right."""
    left, right = fig.subplots(1, 2, width_ratios=(1, 1.25))
    cells = {"edgecolors": style.FAINT, "linewidth": 0.8}
    blue = ListedColormap(["white", "#8CBBD9"])
    mask = left.pcolormesh(np.asarray(data.visible), cmap=blue, vmin=0, vmax=1, **cells)
    left.set_title("blue: may be read")
    # The other way round than elsewhere: what fades turns pale, and 0 is white.
    colours = matplotlib.colormaps[style.SEQUENTIAL].reversed().with_extremes(bad="white")
    sizes = right.pcolormesh(_sizes(data), cmap=colours, norm=LogNorm(LEAST, MOST), **cells)
    right.set_title("reaction of the output to the input")
    (dots,) = right.plot(*_dots(data), "o", color="white", markeredgecolor="black", markersize=6)
    bar = fig.colorbar(sizes, ax=right, ticks=[*TICKS], fraction=0.05, pad=0.03)
    bar.ax.set_yticklabels(TICKS.values())
    bar.ax.minorticks_off()
    bar.set_label("size of the Jacobian\n(white: exactly 0)")
    for axes, first, second in ((left, "query", "key"), (right, "output at", "input at")):
        _label(axes, data.words, first, second)

    def update(data):
        mask.set_array(np.asarray(data.visible))
        sizes.set_array(_sizes(data))
        dots.set_data(*_dots(data))
        return [mask, sizes, dots]

    return update


def say(data) -> str:
    """Say how many pairs have any influence, and whether those are the ones with a way."""
    influence, reached = np.asarray(data.influence), np.asarray(data.reached)
    layers = "1 layer" if data.n_layers == 1 else f"{data.n_layers} layers"
    same = "exactly" if ((influence > 0) == reached).all() else "not exactly"
    return (
        f"Mask {data.mask}, {layers}: {int((influence > 0).sum())} of {influence.size} pairs of "
        f"output and input have an influence that is not 0. They are {same} the pairs with a way "
        f"through the mask (dots)."
    )


def _sizes(data):
    """The sizes, with a gap where there is no influence at all."""
    sizes = np.asarray(data.influence)
    return np.ma.masked_equal(sizes, 0)


def _dots(data):
    """Where there is a way from the input (across) to the output (down)."""
    rows, columns = np.nonzero(np.asarray(data.reached))
    return columns + 0.5, rows + 0.5


def _label(axes: Axes, words, rows: str, columns: str) -> None:
    middles = np.arange(len(words)) + 0.5
    axes.set(aspect="equal", xlabel=columns, ylabel=rows)
    axes.set_xticks(middles, words)
    axes.set_yticks(middles, words)
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(True)
