"""Position encodings: all vectors, one of them as clock hands, similarity against distance."""

import numpy as np
from matplotlib.collections import LineCollection

from course_lib.plots.style import DIVERGING, GREY, K, Q

COLUMNS = 4  # clocks in a row
SHOWN = 12  # other positions whose similarities are drawn in grey


def draw(fig, data):
    """Draw one ``Encodings``; the update changes colours, hands and curves, never the axes."""
    left, middle, right = fig.subplots(1, 3, width_ratios=(1, 0.9, 1.25))
    image, frame = _table(left, data)
    hands, title = _clocks(middle, data)
    others, curve, dot = _similarity(right, data)

    def update(data):
        image.set_data(np.asarray(data.vectors).T)
        frame.set_x(data.position - 0.5)
        hands.set_segments(_hands(data))
        title.set_text(_title(data))
        others.set_segments(_other_curves(data))
        curve.set_data(*_curve(data, data.position))
        dot.set_ydata([_own(data)])
        return [image, frame, hands, title, others, curve, dot]

    return update


def say(data) -> str:
    """Say how similar the position is to its neighbours, and whether the distance decides it."""
    similarity, p = np.asarray(data.similarity), data.position
    near, far = similarity[p, _near(p, 1, data)], similarity[p, _near(p, 16, data)]
    spread = _spread(similarity)
    verdict = "the same" if spread < 1e-9 else f"not the same: it varies by {spread:.2f}"
    base = "" if data.kind == "learned" else f" with base {data.base:g}"
    return (
        f"Position {p}, {data.kind}{base}: similarity {near:.2f} to a neighbour and {far:.2f} to a "
        f"position 16 away. For pairs of positions equally far apart it is {verdict}."
    )


def _near(p, distance, data):
    n = len(np.asarray(data.vectors))
    return p + distance if p + distance < n else p - distance


def _spread(similarity):
    """The largest standard deviation along a diagonal of at least eight entries."""
    n = len(similarity)
    return max(float(np.diagonal(similarity, k).std()) for k in range(n - 7))


def _table(axes, data):
    vectors = np.asarray(data.vectors).T  # [entry, position]
    image = axes.imshow(
        vectors, cmap=DIVERGING, vmin=-1.5, vmax=1.5, interpolation="nearest", aspect="auto",
    )  # fmt: skip
    axes.set(xlabel="position", ylabel="entry of the vector", xticks=[0, 20, 40, 60])
    axes.set_yticks([0, 10, 20, 30])
    axes.set_title("all vectors")
    frame = axes.axvspan(data.position - 0.5, data.position + 0.5, fill=False, edgecolor=K, lw=2)
    bar = axes.figure.colorbar(image, ax=axes, ticks=[-1, 0, 1], fraction=0.06, pad=0.03)
    bar.outline.set_visible(False)
    return image, frame


def _clocks(axes, data):
    """A clock for every pair of entries, fast ones on top."""
    axes.set_aspect("equal")
    n_pairs = np.asarray(data.vectors).shape[1] // 2
    rows = -(-n_pairs // COLUMNS)
    axes.set(xlim=(-0.55, COLUMNS - 0.45), ylim=(rows - 0.45, -0.55), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    around = np.linspace(0, 2 * np.pi, 40)
    for pair in range(n_pairs):
        x, y = _centre(pair)
        axes.plot(x + 0.42 * np.sin(around), y + 0.42 * np.cos(around), color=GREY, lw=0.8)
    hands = axes.add_collection(LineCollection(_hands(data), colors=K, linewidths=2.2))
    title = axes.set_title(_title(data))
    return hands, title


def _title(data):
    return f"position {data.position}, pair by pair"


def _centre(pair):
    return pair % COLUMNS, pair // COLUMNS


def _hands(data):
    """From each clock's centre along the pair; a length of 1 reaches the rim, 2 is the most."""
    pairs = np.asarray(data.vectors)[data.position].reshape(-1, 2)
    centres = np.array([_centre(pair) for pair in range(len(pairs))], dtype=float)
    length = np.linalg.norm(pairs, axis=1, keepdims=True)
    pairs = 0.42 * pairs * np.minimum(1, 1.15 / np.maximum(length, 1e-9))
    # Clockwise from twelve: the first entry of a pair points right, the second up.
    ends = centres + pairs * np.array([1, -1])
    return np.stack([centres, ends], axis=1)


def _similarity(axes, data):
    axes.set(xlim=(-63, 63), ylim=(-0.7, 1.7), xlabel="distance in positions")
    axes.set(ylabel="similarity (dot product)")
    axes.set_xticks([-60, -40, -20, 0, 20, 40, 60])
    axes.set_title("similarity to the other positions")
    others = axes.add_collection(
        LineCollection(_other_curves(data), colors="#9a9a9a", linewidths=1.0, zorder=1)
    )
    (curve,) = axes.plot(*_curve(data, data.position), color=Q, zorder=3)
    (dot,) = axes.plot([0], [_own(data)], "o", color=Q, zorder=4)
    axes.annotate("blue: this position", (0.02, 0.97), xycoords="axes fraction", color=Q, va="top")
    axes.annotate("grey: 12 others", (0.02, 0.88), xycoords="axes fraction", color=GREY, va="top")
    return others, curve, dot


def _curve(data, position):
    row = np.asarray(data.similarity)[position]
    return np.arange(len(row)) - position, row


def _other_curves(data):
    n = len(np.asarray(data.similarity))
    chosen = np.linspace(0, n - 1, SHOWN).round().astype(int)
    return [np.stack(_curve(data, p), axis=1) for p in chosen]


def _own(data):
    return float(np.asarray(data.similarity)[data.position, data.position])
