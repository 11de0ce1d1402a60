from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import encodings
from course_lib.plots.style import new_figure


def data(position=20, kind="sinusoidal", n=64):
    theta = 10_000.0 ** (-np.arange(16) / 16)
    angles = np.arange(n)[:, None] * theta
    vectors = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, 32)
    if kind == "learned":
        vectors = np.random.default_rng(0).standard_normal((n, 32))
    similarity = vectors @ vectors.T / 16
    return SimpleNamespace(
        kind=kind, position=position, base=10_000.0, vectors=vectors, similarity=similarity
    )


def limits(figure):
    return [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]


@pytest.fixture
def drawn():
    figure, _ = new_figure((9, 3.2), 100)
    return figure, encodings.draw(figure, data())


def test_the_update_moves_hands_and_curves_and_no_axes(drawn):
    figure, update = drawn
    before = limits(figure)
    image, frame, hands, title, others, curve, dot = update(data(position=0, kind="learned"))
    assert limits(figure) == before
    assert frame.get_x() == -0.5 and "position 0" in title.get_text()
    assert list(curve.get_xdata()[[0, -1]]) == [0, 63]
    assert dot.get_ydata()[0] == pytest.approx(curve.get_ydata()[0])
    assert len(others.get_segments()) == 12


def test_hands_are_clocks_that_start_at_twelve(drawn):
    _, update = drawn
    hands = update(data(position=0))[2].get_segments()
    for start, end in hands:
        assert end[0] == pytest.approx(start[0]) and end[1] == pytest.approx(start[1] - 0.42)
    quarter = update(data(position=1))[2].get_segments()[0]  # one radian clockwise
    x, y = quarter[1] - quarter[0]
    assert np.arctan2(x, -y) == pytest.approx(1)


def test_the_sentence_says_whether_the_distance_decides():
    assert encodings.say(data()).endswith("it is the same.")
    assert "it varies by" in encodings.say(data(kind="learned"))
    assert "base" not in encodings.say(data(kind="learned"))
    assert "position 16 away" in encodings.say(data(position=63))
