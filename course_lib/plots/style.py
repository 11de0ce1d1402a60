"""Colours, fonts and small drawing helpers that every figure of the course shares.

The palette is Okabe and Ito's, readable with the common forms of colour blindness.  A colour
always means the same thing, and never stands alone: pair it with a dash, a marker or a label.
"""

import io
from contextlib import contextmanager

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from PIL import Image

Q = "#0072B2"  # queries: blue
K = "#D55E00"  # keys: vermillion
V = "#009E73"  # values: green
TRAIN = "#000000"
VALIDATION = "#E69F00"  # contrast on white is only 2.3: thick or dashed lines and fills, never text
ACCENT = "#CC79A7"
GREY = "#595959"  # text and reference lines: contrast 7 on white
FAINT = "#D9D9D9"  # grid lines
AS_TEXT = {K: "#B85100", V: "#00865F"}  # the same hues with a contrast of 4.5 on white

SEQUENTIAL = "cividis"  # for weights and counts; keep the limits fixed while a slider moves
DIVERGING = "PuOr"  # for signed numbers; symmetric about 0

RC = {
    "font.size": 10.5,
    "axes.labelsize": 10.5,
    "axes.titlesize": 11.0,
    "axes.titlelocation": "left",
    "xtick.labelsize": 10.0,
    "ytick.labelsize": 10.0,
    "legend.fontsize": 10.0,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": FAINT,
    "axes.axisbelow": True,
    "lines.linewidth": 2.0,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "text.usetex": False,
}


@contextmanager
def course_style():
    """Apply the shared fonts and axes inside a `with` block, and leave nothing behind."""
    with matplotlib.rc_context(RC):
        yield


def new_figure(size: tuple[float, float], dpi: int) -> tuple[Figure, FigureCanvasAgg]:
    """A white figure on its own canvas: no pyplot, so nothing is global and nothing to close."""
    figure = Figure(size, dpi=dpi, layout="constrained", facecolor="white")
    return figure, FigureCanvasAgg(figure)


def png_of(canvas: FigureCanvasAgg, compress_level: int = 6) -> bytes:
    """What is drawn on a canvas, without the alpha channel: nothing shines through a white figure.

    ``print_png`` would draw the whole figure a second time.
    """
    size = canvas.get_width_height()
    pixels = Image.frombuffer("RGBA", size, canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    file = io.BytesIO()
    pixels.convert("RGB").save(file, "png", compress_level=compress_level)
    return file.getvalue()


def label_line(
    axes: Axes, x: float, y: float, text: str, colour: str, *, dx: float = 5, dy: float = 0
) -> Annotation:
    """Write `text` beside a point, `dx` and `dy` points away: a legend that needs no look-up."""
    return axes.annotate(
        text, (x, y), (dx, dy), textcoords="offset points", color=AS_TEXT.get(colour, colour),
        va="center_baseline", annotation_clip=False,
    )


def reference_line(
    axes: Axes, y: float, text: str, colour: str = GREY, *, at: float = 0.0, below: bool = False
) -> tuple[Line2D, Annotation]:
    """A thin dashed horizontal line with its meaning beside it, `at` a share of its width."""
    line = axes.axhline(y, color=colour, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
    label = axes.annotate(
        text, (at, y), (4 - 8 * at, -3 if below else 3), xycoords=axes.get_yaxis_transform(),
        textcoords="offset points", color=colour, fontsize=10,
        ha="left" if at < 0.5 else "right", va="top" if below else "bottom",
    )
    return line, label
