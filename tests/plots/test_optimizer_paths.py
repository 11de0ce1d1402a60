from types import SimpleNamespace

import numpy as np
import pytest

from course_lib.plots import optimizer_paths
from course_lib.plots.style import new_figure

GRID = np.linspace(-2, 3, 5), np.linspace(-1, 2, 5), np.arange(25.0).reshape(5, 5) / 5
RULES = ("SGD", "AdamW")


def record(step, **positions):
    losses = {rule: 0.5 / step for rule in RULES}
    return SimpleNamespace(step=step, positions=positions, losses=losses)


def test_walks_lie_where_they_went_and_the_limits_stand_still():
    figure, _ = new_figure((9, 3), 100)
    draw = optimizer_paths.draw_for(GRID, (2.0, 1.0), 20, RULES)
    update = draw(figure, [])
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    history = [record(1, SGD=(1.0, 2.0), AdamW=(0.0, 0.5)),
               record(2, SGD=(1e200, float("nan")), AdamW=(0.1, 0.6))]  # fmt: skip
    changed = update(history)
    assert limits == [(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    lines = {line.get_label(): line for line in changed}
    assert lines["AdamW"].get_xydata() == pytest.approx(np.array([[0, 0.5], [0.1, 0.6]]))
    assert np.abs(lines["SGD"].get_xydata()).max() <= optimizer_paths.FAR
    figure.canvas.draw()


def test_the_sentence_names_every_walk():
    history = [record(7, SGD=(float("inf"), 0.0), AdamW=(-0.001, 0.6))]
    assert optimizer_paths.say(history) == "Step 7: SGD has left the map; AdamW at (0.00, 0.60)."
    assert optimizer_paths.say([]) == "No step has been made."
