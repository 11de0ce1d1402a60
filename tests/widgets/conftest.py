"""A small figure to move, and a look at the pixels of a PNG."""

import io

import numpy as np
import pytest
from PIL import Image


def compute(slope, shift=0.0):
    """Pure: the two ends of a straight line."""
    if slope == 4:
        raise ZeroDivisionError("slope 4 is broken on purpose")
    return {"y": [shift, shift + slope], "slope": slope}


def draw(fig, data):
    """A line that moves below a word that stays."""
    axes = fig.subplots()
    axes.set(xlim=(0, 1), ylim=(-1, 6))
    (line,) = axes.plot([0, 1], data["y"])

    def update(data):
        line.set_ydata(data["y"])
        return [line]

    return update


def say(data):
    """The number that was moved."""
    return f"The slope is {data['slope']:g}."


@pytest.fixture
def line():
    """The three functions of a widget."""
    return compute, draw, say


@pytest.fixture
def pixels():
    """Turn PNG bytes into an array."""
    return lambda png: np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
