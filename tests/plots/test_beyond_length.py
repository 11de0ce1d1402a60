import numpy as np
import pytest

from course_lib.plots import beyond_length
from course_lib.plots.style import new_figure

INSIDE, PAST = 24, 72


def run(inside, past):
    return np.concatenate([[np.nan] * 3, np.full(INSIDE - 3, inside), np.full(PAST, past)])


DATA = (
    INSIDE,
    {
        "near": {"learned": [run(1.0, 0.1), run(1.0, 0.2)], "none": [run(0.2, 0.1)]},
        "far": {"learned": [run(1.0, 0.9)], "rotary": [run(0.99, 0.06)]},
    },
)


def test_each_task_has_its_panel_and_each_kind_its_line():
    figure, _ = new_figure((9, 3.6), 100)
    beyond_length.draw_accuracy(figure, DATA)
    near, far = figure.axes
    lines = {line.get_label(): line for line in near.get_lines() if line.get_linestyle() != "None"}
    assert list(lines) == ["learned", "none"]
    np.testing.assert_allclose(lines["learned"].get_ydata(), [1, 1, *[0.15] * 6])
    assert list(lines["learned"].get_xdata()[:2]) == [5.5, 17.5]
    assert near.get_ylim() == far.get_ylim()


def test_means_are_taken_inside_and_past():
    assert beyond_length.in_and_past(INSIDE, DATA[1]["near"]["learned"]) == pytest.approx((1, 0.15))
    assert "rotary 99% then 6%" in beyond_length.say_accuracy(DATA)


def test_scores_mark_the_best_trained_distance():
    scores = np.zeros(96)
    scores[3], scores[40] = 9, 11
    figure, _ = new_figure((9, 3.2), 100)
    beyond_length.draw_scores(figure, (INSIDE, {"near": scores, "far": -scores}))
    assert any(text.get_text() == "distance 3" for text in figure.axes[0].texts)
    sentence = beyond_length.say_scores((INSIDE, {"near": scores}))
    assert "highest at distance 3 with 9 nats" in sentence
    assert "at untrained distances is 11" in sentence
