"""Lesson 62 after an interrupt: every later cell still works, and the run goes on."""

from dataclasses import replace
from functools import partial

import pytest
from interrupted import run_interrupted, steps_after_going_on

from course_lib.config import BertConfig
from course_lib.experiments import second_task
from course_lib.training.recipes import RECIPES, story_pairs_material

NAME = "stories-bert"
# Smaller sizes, so that this takes seconds; each must be there to be replaced.
SMALLER = {
    "batch = task.fixed(96, 1000)": "batch = task.fixed(96, 100)",
    "task.fixed(96, 200)": "task.fixed(96, 20)",
    "tell(8, seed=6201)": "tell(1, seed=6201)",
    "in by_kind(bert) if": "in by_kind(bert, 1) if",
    "second_task(bert, wrong) for": "second_task(bert, wrong, 40) for",
    "above=[0.93, 0.25]": "above=[0.7, 0.1]",
}
RUN = "live(run, total_steps, curves.draw"


@pytest.fixture
def small(monkeypatch):
    """The lesson's recipe with few pairs, a small model and four steps."""
    recipe = replace(
        RECIPES[NAME], material=partial(story_pairs_material, n_pairs=60, n_held_out=40),
        shape=lambda v: BertConfig(v, 96, d_model=16, n_layers=1, n_heads=2),
        budgets={"minute": 4},
    )  # fmt: skip
    monkeypatch.setitem(RECIPES, NAME, recipe)
    monkeypatch.setattr(second_task, "_TO_LEARN", 200)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop", [0, 2])
def test_every_later_cell_works(stop, capsys, monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    namespace = run_interrupted("62_train_bert", SMALLER, RUN, stop)
    # The run goes on from there, to the last step, and the history has no gap.
    assert steps_after_going_on(namespace, 4, namespace["watched"].history) == [1, 2, 3, 4]
    assert f"{stop} steps were made" in capsys.readouterr().out
