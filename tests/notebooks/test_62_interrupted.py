"""Lesson 62 after an interrupt: every later cell still works, and the run goes on."""

import random
import re
from dataclasses import replace
from functools import partial

import pytest
import torch
from interrupted import TWINS, run_interrupted, steps_after_going_on

from course_lib.config import BertConfig
from course_lib.experiments import second_task
from course_lib.training.pretraining import Pretraining
from course_lib.training.recipes import RECIPES, Run, story_pairs_material
from course_lib.training.recipes.recipe import BUDGETS

NAME = "stories-bert"
# Smaller sizes, so that this takes seconds; each must be there to be replaced.
SMALLER = {
    "batch = task.fixed(96, 1000)": "batch = task.fixed(96, 100)",
    "task.fixed(96, 100), masking": "task.fixed(96, 20), masking",
    "named_right(bert)": "named_right(bert, 1)",
    "by_kind(bert, 20) if each.n_words >= 20": "by_kind(bert, 1) if each.n_words >= 1",
    "by_kind(longer, 20)": "by_kind(longer, 1)",
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
    monkeypatch.setattr(second_task, "TO_LEARN", 200)
    second_task.bag.cache_clear()


@pytest.fixture
def verses(tmp_path):
    """A text of the reader's own: short texts of some sentences, with empty lines between them."""
    words = "in the beginning god made heaven and earth then he said let there be light".split()
    draw = random.Random(0)

    def sentence():
        return " ".join(draw.choices(words, k=9)).capitalize() + "."

    texts = [" ".join(sentence() for _ in range(4)) for _ in range(100)]
    path = tmp_path / "verses.txt"
    path.write_text("\n\n".join(texts), encoding="utf8")
    return path


@pytest.mark.usefixtures("small")
def test_every_later_cell_works(capsys, monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "1")  # two would wait for each other on a busy machine
    namespace = run_interrupted("62_train_bert", SMALLER, RUN, 2)
    # The run goes on from there, to the last step, and the history has no gap.
    assert steps_after_going_on(namespace, 4, namespace["watched"].history) == [1, 2, 3, 4]
    assert namespace["bert"] is namespace["run"].state.model
    assert "2 steps were made" in capsys.readouterr().out


@pytest.mark.usefixtures("small")
def test_so_it_does_on_another_text_stopped_before_the_first_step(verses, capsys, monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "1")
    monkeypatch.setitem(
        RECIPES, "bible-bert", replace(RECIPES["bible-bert"], budgets={"minute": 4})
    )
    other = {'TEXT, BUDGET = "stories"': f"TEXT, BUDGET = {str(verses)!r}"}
    namespace = run_interrupted("62_train_bert", SMALLER | other, RUN, 0)
    assert namespace["run"].material.text == "verses.txt"
    assert namespace["bert"] is namespace["untrained"]
    assert steps_after_going_on(namespace, 4, namespace["watched"].history) == [1, 2, 3, 4]
    printed = capsys.readouterr().out
    assert "it shows an untrained BERT" in printed and "verses.txt" in printed


@pytest.mark.parametrize("name", [NAME, "bible-bert"])
def test_the_text_s_budgets_are_there_for_each_kind_of_text(name):
    assert [RECIPES[name].steps(budget) for budget in BUDGETS] == sorted(
        RECIPES[name].budgets.values()
    )


@pytest.mark.usefixtures("small")
def test_what_the_open_exercises_print_works():
    twin = (TWINS / "62_train_bert.py").read_text(encoding="utf8")
    lines = re.search(r"^#        class WordsOnly.*?vars\(run.task\)\)$", twin, re.M | re.S).group()
    code = "\n".join(line.removeprefix("#        ").removeprefix("#") for line in lines.split("\n"))
    run = Run(RECIPES[NAME], 2)
    head = run.state.model.nsp_head.dense.weight.detach().clone()
    exec(code, {"run": run, "Pretraining": Pretraining})
    records = list(run)
    assert all(set(record.parts) == {"mlm", "nsp"} for record in records)
    torch.testing.assert_close(run.state.model.nsp_head.dense.weight, head, rtol=0.05, atol=1e-4)
    assert "`run.task = replace(run.task, train_rate=0.15)`" in twin
    run = Run(RECIPES[NAME], 1)
    run.task = replace(run.task, train_rate=0.15)
    assert len(list(run)) == 1
