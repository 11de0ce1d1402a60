"""Lesson 62 after an interrupt: every later cell still works, and the run goes on."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from course_lib.config import BertConfig
from course_lib.experiments import second_task
from course_lib.training.recipes import RECIPES, story_pairs_material

NAME = "stories-bert"
TWIN = Path(__file__).parents[2] / "notebooks" / "text" / "62_train_bert.py"
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


def cells():
    text = TWIN.read_text(encoding="utf8")
    for old, new in SMALLER.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    parts = re.split(r"^# %%(.*)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [code for head, code in pairs if "[markdown]" not in head]


def interrupted_after(records, last):
    """What a reader does who presses the square after some steps."""
    for record in records:
        yield record
        if record.step == last:
            raise KeyboardInterrupt


def no_record_at_all(records):
    raise KeyboardInterrupt
    yield


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
    namespace = {"__name__": "lesson"}
    for code in cells():
        if RUN in code:
            code = code.replace(RUN, RUN.replace("run", "stopping(run)", 1))
            namespace["stopping"] = (
                (lambda records: interrupted_after(records, stop)) if stop else no_record_at_all
            )
        exec(compile(code, "62", "exec"), namespace)
    run, watched = namespace["run"], namespace["watched"]
    assert run.state.step == len(watched.history) == watched.stopped_at == stop
    # The run goes on from there, to the last step, and the history has no gap.
    again = namespace["live"](
        run, 4, namespace["curves"].draw, namespace["curves"].say, history=watched.history
    )
    assert [record.step for record in again.history] == [1, 2, 3, 4]
    assert f"{stop} steps were made" in capsys.readouterr().out
