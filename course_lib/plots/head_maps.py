"""All heads at a glance: a small attention map and one number for each head of a model."""

import numpy as np
from matplotlib.colors import PowerNorm

from course_lib.plots.style import GREY, SEQUENTIAL

NUMBERS = {
    "spread": ("spread over {:.1f} places", "spread over"),
    "induction": ("{:.0%} on the next letter", "share on the next letter"),
    "other": ("{:.0%} on the other place", "share on the other place"),
    "previous": ("{:.0%} one place back", "share one place back"),
    "effect": ("loss {:+.2f} without it", "rise of the loss without it"),
}


def draw(fig, data):
    """Draw a ``Glance``; the update changes maps and numbers, never the colours' meaning."""
    maps = np.asarray(data.maps)
    panels = np.atleast_2d(fig.subplots(*maps.shape[:2], sharex=True, sharey=True))
    images, texts = [], []
    for layer, row in enumerate(panels):
        for head, axes in enumerate(row):
            images.append(_map(axes, maps[layer, head]))
            texts.append(
                axes.text(0, 1.04, _number(data, layer, head), transform=axes.transAxes,
                          va="bottom", color=GREY)
            )  # fmt: skip
            if layer == len(panels) - 1:
                axes.set_xlabel(f"head {head + 1}: read")
        row[0].set_ylabel(f"block {layer + 1}: reader")
    bar = fig.colorbar(images[0], ax=panels, ticks=[0, 0.1, 0.5, 1], fraction=0.03, pad=0.02)
    bar.ax.set_yticklabels(["0%", "10%", "50%", "100%"])
    bar.outline.set_visible(False)

    def update(data):
        shown = np.asarray(data.maps).reshape(len(images), *maps.shape[2:])
        for image, one in zip(images, shown, strict=True):
            image.set_data(one)
        for place, text in enumerate(texts):
            text.set_text(_number(data, *divmod(place, maps.shape[1])))
        return [*images, *texts]

    return update


def say(data) -> str:
    """Say which text it is, and how far the heads of each block lie apart."""
    _, what = NUMBERS[data.measure]
    parts = []
    for layer, numbers in enumerate(np.asarray(data.numbers)):
        low, high = (_plain(data.measure, n) for n in (numbers.min(), numbers.max()))
        span = low if low == high else f"{low} to {high}"
        parts.append(f"{span} in block {layer + 1}")
    return (
        f'On "{data.text}", a word of {data.length} letters again and again; '
        f"{what}: {', '.join(parts)}."
    )


def _map(axes, shares):
    """Who reads whom, with the same colours for every head and every text."""
    image = axes.imshow(shares, cmap=SEQUENTIAL, norm=PowerNorm(0.5, 0, 1), interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    return image


def _number(data, layer: int, head: int) -> str:
    return NUMBERS[data.measure][0].format(_rounded(np.asarray(data.numbers)[layer, head]))


def _rounded(number: float) -> float:
    """Two digits, and no minus before a zero."""
    return round(float(number), 2) + 0.0


def _plain(measure: str, number: float) -> str:
    number = _rounded(number)
    if measure == "spread":
        return f"{number:.1f} places"
    return f"{number:+.2f} nats" if measure == "effect" else f"{number:.0%}"
