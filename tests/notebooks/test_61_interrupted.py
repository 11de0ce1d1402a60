"""Lesson 61 after an interrupt at the very start: every later cell still works."""

import pytest
from interrupted import run_interrupted, steps_after_going_on
from lesson_61 import NAME, RUN, SMALLER, small_recipe

from course_lib.training.recipes import RECIPES


@pytest.mark.parametrize("stop", [0, 1, 5])
def test_every_later_cell_works(stop, capsys, monkeypatch):
    monkeypatch.setitem(RECIPES, NAME, small_recipe())
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    namespace = run_interrupted("61_train_gpt", SMALLER, RUN, stop)
    # The run goes on from there, to the last step, and the history has no gap.
    assert steps_after_going_on(namespace, 6, list(namespace["run"].records)) == [1, 2, 3, 4, 5, 6]
    assert f"{stop} of 6 steps" in capsys.readouterr().out
