"""One of every widget, cell by cell, for the browser tests; run by no test in Python itself."""

# %%
import numpy as np

from course_lib.plots import style
from course_lib.widgets import (
    bpe_stepper,
    choice,
    control,
    dot_product_by_hand,
    explore,
    predict,
)


def compute(temperature, count, scaled):
    """Softmax of a falling row of numbers."""
    scores = np.linspace(2, -2, count) / (2 if scaled else 1) / temperature
    shares = np.exp(scores - scores.max())
    return {"shares": shares / shares.sum(), "temperature": temperature}


def draw(fig, data):
    """A heat map and bars: a picture of usual size."""
    left, right = fig.subplots(1, 2)
    outer = np.zeros((64, 64))
    image = left.imshow(outer, vmin=0, vmax=1, cmap=style.SEQUENTIAL)
    fig.colorbar(image, label="product of shares")
    left.set(xlabel="key", ylabel="query")
    bars = right.bar(range(64), outer[0], color=style.Q)
    right.set(ylim=(0, 1), xlabel="option", ylabel="probability")

    def update(data):
        shares = np.zeros(64)
        shares[: len(data["shares"])] = data["shares"]
        image.set_data(np.sqrt(np.outer(shares, shares)))
        for bar, share in zip(bars, shares, strict=True):
            bar.set_height(share)
        return [image, *bars]

    update(data)
    return update


def say(data):
    """The largest share."""
    largest = data["shares"].max()
    return f"At temperature {data['temperature']:.2f} the largest share is {largest:.3f}."


# %%
moved = explore(
    compute,
    draw,
    say,
    temperature=control(0.1, 5.0, 0.1, 1.0, "temperature T", "no unit"),
    count=choice([2, 4, 8, 16, 32, 64], 8, "options", "count"),
    scaled=False,
)
moved  # noqa: B018 (the cell shows it)

# %%
guess = predict("Where do the shares go when $T$ grows?", ["to one option", "apart", "together"])
guess  # noqa: B018

# %%
by_hand = dot_product_by_hand()
by_hand  # noqa: B018

# %%
bpe_stepper("naïve café, the cat the hat", n_merges=3)
