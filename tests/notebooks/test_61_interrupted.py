"""Lesson 61 after an interrupt at the very start: every later cell still works."""

from dataclasses import replace
from functools import partial

import pytest
from interrupted import run_interrupted, steps_after_going_on

from course_lib.config import modern_gpt
from course_lib.training.recipes import RECIPES, gpt_material

NAME = "modern-stories-gpt"
# Smaller sizes, so that this takes seconds; each must be there to be replaced.
SMALLER = {
    'REAL_STEPS = {"minute": 160': 'REAL_STEPS = {"minute": 3',
    "real.material.made, 20_000": "real.material.made, 5_000",
    "near=1, within=0.03": "near=1, within=0.1",
    "d_model=128, n_layers=4, n_heads=4": "d_model=64, n_layers=2, n_heads=2",
    "max_seq_len, 100)": "max_seq_len, 20)",
    "real.state.model, 48,": "real.state.model, 2,",
    "max_bytes=200": "max_bytes=10",
    "text, 60, drawing": "text, 2, drawing",
    "text, 20, drawing": "text, 2, drawing",
    "tell(1000, seed=63)": "tell(200, seed=63)",
    "nats_per_word, within=0.02": "nats_per_word, within=0.04",
}
RUN = "live(run, total, curves.draw"


@pytest.fixture
def small(monkeypatch):
    """The lesson's recipe with few stories, a small model and six steps."""
    recipe = replace(
        RECIPES[NAME], material=partial(gpt_material, n_stories=40, n_held_out=25),
        shape=lambda v: modern_gpt(v, 96, d_model=24, n_layers=1, n_heads=2),
        budgets={"minute": 6},
    )  # fmt: skip
    monkeypatch.setitem(RECIPES, NAME, recipe)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop", [0, 1, 5])
def test_every_later_cell_works(stop, capsys, monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    namespace = run_interrupted("61_train_gpt", SMALLER, RUN, stop)
    # The run goes on from there, to the last step, and the history has no gap.
    assert steps_after_going_on(namespace, 6, list(namespace["run"].records)) == [1, 2, 3, 4, 5, 6]
    assert f"{stop} of 6 steps" in capsys.readouterr().out
