"""Lesson 61 with other texts and other tokens: "run all from there" works, as the text promises."""

import pytest
from interrupted import cells
from lesson_61 import NAME, SMALLER, small_recipe

from course_lib.training.recipes import RECIPES

FILE = "own.txt"
CHOICES = [("stories", "bytes"), ("stories", "bpe"), ("python", "bytes"), (FILE, "bytes"),
           (FILE, "bpe")]  # fmt: skip


@pytest.mark.parametrize(("text", "ids"), CHOICES)
def test_every_cell_works(text, ids, monkeypatch, tmp_path):
    monkeypatch.setitem(RECIPES, NAME, small_recipe(steps=2))
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    if text == FILE:
        text = str(tmp_path / FILE)
        lines = (f"A line, number {i}, of a text of one's own.\n" for i in range(2000))
        (tmp_path / FILE).write_text("".join(lines), encoding="utf8")
    chosen = {'TEXT, IDS, BUDGET = "stories", "words"': f"TEXT, IDS, BUDGET = {text!r}, {ids!r}"}
    namespace = {"__name__": "lesson"}
    for code in cells("61_train_gpt", {**SMALLER, **chosen}):
        exec(compile(code, "61_train_gpt", "exec"), namespace)
    assert namespace["run"].state.step == 2
    assert namespace["bits"]["your GPT"] > 0
    assert namespace["text"].kind == ids
