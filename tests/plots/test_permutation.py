from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import permutation
from course_lib.plots.style import new_figure


def data(scale=0.0, positions="none", causal=False, order=(2, 0, 1)):
    before = np.random.default_rng(0).standard_normal((3, 6))
    after = before * np.array([[1 + scale], [1], [1 + 2 * scale]])
    changes = np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)
    return SimpleNamespace(
        words=("a", "b", "c"), order=order, positions=positions, causal=causal,
        before=before, after=after, changes=changes,
    )  # fmt: skip


def test_bars_and_tables_follow_and_limits_stand_still():
    figure, _ = new_figure((9, 3), 100)
    update = permutation.draw(figure, data(order=(0, 1, 2)))
    before = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    first, second, title, *rest = update(data(0.5))
    assert title.get_text() == '"c a b"'
    assert [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes] == before
    np.testing.assert_allclose(second.get_array(), data(0.5).after)
    assert [bar.get_width() for bar in rest[:3]] == pytest.approx([0.5, 0, 1])
    assert [number.get_text() for number in rest[3:]] == ["50%", "0%", "100%"]


def test_a_bar_ends_at_the_edge_and_keeps_its_number():
    figure, _ = new_figure((9, 3), 100)
    *_, last = permutation.draw(figure, data())(data(5.0))
    assert last.get_text() == "1000%" and last.get_position()[0] < figure.axes[2].get_xlim()[1]


def test_the_sentence_says_what_noticed():
    still = permutation.say(data())
    assert still == '"c a b", no positions, no mask: every word gets exactly the output it had ' \
        "before."
    moved = permutation.say(data(0.5, "rotary", True))
    assert "rotary positions, a causal mask: 2 of 3 words" in moved and "by up to 100%" in moved
