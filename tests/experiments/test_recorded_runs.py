from dataclasses import replace
from functools import partial

import pytest
from tiny import config

from course_lib.config import GPTConfig
from course_lib.experiments.recorded_runs import looks_of, looks_of_log, looks_with_figures
from course_lib.training.recipes import STORIES_GPT, Run, gpt_material

SMALL = replace(
    STORIES_GPT, name="small", material=partial(gpt_material, n_stories=30, n_held_out=7),
    shape=lambda v: GPTConfig(v, 88, d_model=8, n_layers=1, n_heads=2),
    settings=replace(config(6), eval_every=4),
)  # fmt: skip


def test_a_run_and_its_log_say_the_same():
    run = Run(SMALL)
    list(run)
    tokens, losses = looks_of(run)
    a_step = run.tokens_seen() / 6
    assert tokens == pytest.approx([4 * a_step, 6 * a_step])  # the very first step is left out
    assert losses == [run.records[i].validation_loss for i in (3, 5)]
    recorded = looks_of_log(run.log("the command"))
    assert recorded[0] == pytest.approx(tokens)
    assert recorded[1] == pytest.approx(losses, abs=1e-4)


def test_the_looks_of_a_log_are_the_records_of_its_run():
    run = Run(SMALL)
    list(run)
    looks = looks_with_figures(run.log("the command"))
    records = [record for record in run.records if record.measured]
    assert [(look.step, look.total_steps) for look in looks] == [(1, 6), (4, 6), (6, 6)]
    for look, record in zip(looks, records, strict=True):
        assert look.measured == pytest.approx(record.measured, abs=1e-4)
        assert not look.parts


def test_a_run_that_was_stopped():
    run = Run(SMALL)
    assert looks_of(run) == ([], [])
    for record in run:
        if record.step == 5:
            break
    tokens, losses = looks_of(run)
    assert tokens == pytest.approx([4 * run.tokens_seen() / 5])
    assert losses == [run.records[3].validation_loss]
