import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from tiny import config, everything, same

from course_lib.config import BertConfig, GPTConfig
from course_lib.data.windows import consecutive_windows
from course_lib.training.objectives import mean_loss
from course_lib.training.recipes import (
    BIBLE_BERT,
    BIBLE_GPT,
    RECIPES,
    STORIES_GPT,
    Run,
    corpus_pairs_material,
    gpt_material,
)
from course_lib.training.state import save

SMALL = replace(
    STORIES_GPT, name="small", material=partial(gpt_material, n_stories=30, n_held_out=7),
    shape=lambda v: GPTConfig(v, 88, d_model=8, n_layers=1, n_heads=2), settings=config(9),
)  # fmt: skip


def test_a_run_is_written_down():
    run = Run(SMALL, steps=6, seed=4)
    records = list(run)
    log = run.log("the command")
    assert [r.step for r in records] == [1, 2, 3, 4, 5, 6]
    assert log["steps"] == [1, 4, 6] and len(log["train_losses"]) == 3
    assert log["train_losses"][1] == pytest.approx(sum(r.train_loss for r in records[:4]) / 4, 1e-3)
    assert log["validation_losses"][-1] == pytest.approx(records[-1].validation_loss, abs=1e-4)
    # Only 6 of the 7 are looked at on the way; at the end all of them are.
    assert log["validation_loss"] == pytest.approx(log["validation_losses"][-1], rel=0.05)
    assert log["command"] == "the command" and log["settings"]["seed"] == 4
    assert log["tokens_seen"] == pytest.approx(6 * 3 * run.material.task.train.n_scored / 30, abs=1)
    assert log["floor"] == run.material.floors["loss"]


def test_the_seed_decides_and_another_one_decides_otherwise():
    losses = [[r.train_loss for r in Run(SMALL, 3, seed)] for seed in (0, 0, 1)]
    assert losses[0] == losses[1] != losses[2]


def test_a_run_leaves_the_random_numbers_as_they_were():
    torch.manual_seed(1)
    wanted = torch.rand(2)
    torch.manual_seed(1)
    Run(SMALL)
    assert torch.equal(torch.rand(2), wanted)


def test_one_step_is_a_run_too():
    assert [r.step for r in Run(SMALL, 1)] == [1]


def test_the_trained_model_has_the_words_of_its_text():
    shipped = Run(SMALL).shipped()
    assert len(shipped.words) == shipped.model.config.vocab_size == 169
    assert shipped.words[shipped.boundary_id] == "<|story|>"


def test_every_recipe_fits_its_text():
    for name, recipe in RECIPES.items():
        assert recipe.name == name
        assert recipe.shape(169).max_seq_len >= 88


def test_a_log_has_bits_per_byte_and_what_the_model_shows(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("some words, and some more words\n" * 60, encoding="utf8")
    recipe = replace(
        BIBLE_GPT, name="small", text=str(path), settings=config(3),
        shape=lambda v: GPTConfig(v, 12, d_model=8, n_layers=1, n_heads=2),
    )  # fmt: skip
    run = Run(recipe)
    list(run)
    log = run.log("the command")
    size = run.material.bytes_per_token
    assert size > 1
    assert log["bits_per_byte"] == pytest.approx(log["validation_loss"] / math.log(2) / size, 1e-3)
    assert len(log["shown"]["texts"]) == 3 and log["shown"]["texts"][0].startswith("\n")


def test_a_bert_learns_a_real_text(tmp_path):
    path = tmp_path / "lines.txt"
    verses = "\n\n".join(f"One {a} is here.\nThe {a} is there." for a in ("cat", "dog", "cow"))
    path.write_text(f"{verses}\n\n" * 40, encoding="utf8")
    recipe = replace(
        BIBLE_BERT, name="small", text=str(path), settings=config(3),
        material=partial(corpus_pairs_material, vocab_size=60),
        shape=lambda v: BertConfig(v, 96, d_model=8, n_layers=1, n_heads=2),
    )  # fmt: skip
    run = Run(recipe)
    list(run)
    log = run.log("the command")
    assert set(log["shown"]) == {"n_hidden", "top", "commonest", "examples"}
    assert "bits_per_byte" not in log and log["measured"]["nsp accuracy"] >= 0
    assert run.shipped().tokenizer.vocab_size == run.state.model.config.vocab_size <= 60
    with pytest.raises(ValueError, match="ids must be 'wordpiece' for this recipe, got 'bpe'"):
        corpus_pairs_material(str(path), "bpe")


def test_the_length_is_a_number_or_a_budget():
    recipe = replace(SMALL, budgets={"minute": 3, "coffee": 5})
    assert [len(list(Run(recipe, asked))) for asked in (None, 2, "minute")] == [9, 2, 3]
    with pytest.raises(ValueError, match=r"small must .* \(minute, coffee\), got 'evening'"):
        Run(recipe, "evening")
    with pytest.raises(ValueError, match=r"\(it has none\), got 'minute'"):
        Run(SMALL, "minute")


def test_a_whole_text_makes_the_model_longer_and_a_window_does_not(tmp_path):
    assert Run(SMALL, ids="bytes").state.model.config.max_seq_len > 200
    file = tmp_path / "text.txt"
    file.write_text("".join(f"line {i}\n" for i in range(400)), encoding="utf8")
    run = Run(SMALL, 4, text=str(file))
    assert run.material.ids == "bytes" and run.state.model.config.max_seq_len == 88
    list(run)
    log = run.log("x")
    assert log["tokens_seen"] == 4 * 3 * 88 and log["floor"] is None and log["floors"] == {}
    held_out = run.material.task.validation
    loss = mean_loss(run.state.model, *consecutive_windows(held_out, 88), 50)
    assert log["validation_loss"] == pytest.approx(loss)
    assert run.shipped().encode("é") == [195, 169]


def test_merges_of_a_real_text_can_be_shipped(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("".join(f"a line of words {i}\n" for i in range(400)), encoding="utf8")
    recipe = replace(SMALL, material=partial(gpt_material, n_merges=20))
    run = Run(recipe, 2, text=str(file), ids="bpe")
    assert run.material.vocab_size == 276 == run.state.model.config.vocab_size
    assert len(run.shipped().encode("a line of words")) < 8


def test_words_are_for_stories_alone():
    with pytest.raises(ValueError, match="ids must be bytes or bpe for the text 'python'"):
        gpt_material("python", "words")


@pytest.mark.parametrize("changes", [{}, {"optimizer": "muon"}])
def test_a_resumed_run_has_the_losses_of_one_that_was_not_stopped(tmp_path, changes):
    whole, stopped = Run(SMALL, changes=changes), iter(first := Run(SMALL, changes=changes))
    losses = [(r.train_loss, r.measured) for r in whole]
    for _ in range(5):
        next(stopped)
    first.save(tmp_path / "checkpoint")
    resumed = Run(SMALL, changes=changes)
    resumed.resume(tmp_path / "checkpoint")
    assert [(r.train_loss, r.measured) for r in resumed] == losses[5:]


@pytest.mark.parametrize(("changed", "named"), [
    (dict(seed=1), "seed=1"), (dict(steps=8), "total_steps=8"), (dict(ids="bytes"), "ids=bytes"),
    (dict(changes={"lr": 1.0}), "lr=1.0"), (dict(changes={"dropout": 0.5}), "dropout=0.5"),
    (dict(bf16=True), "bf16=True"),
])  # fmt: skip
def test_a_checkpoint_of_another_run_is_refused_and_nothing_changed(tmp_path, changed, named):
    first = Run(SMALL)
    next(iter(first))
    first.save(tmp_path / "checkpoint")
    other = Run(SMALL, **changed)
    before = everything(other.state)
    with pytest.raises(ValueError, match=rf"another run, with .*{named} \(saved "):
        other.resume(tmp_path / "checkpoint")
    assert other.state.step == 0 and same(everything(other.state), before)


def test_a_checkpoint_that_no_run_wrote_is_refused(tmp_path):
    run = Run(SMALL)
    save(run.state, tmp_path / "checkpoint")
    with pytest.raises(ValueError, match=r"recipe=small \(saved None\)"):
        run.resume(tmp_path / "checkpoint")


def test_changes_are_checked_before_the_text_is_made():
    def never(text, ids):
        raise AssertionError("the text was made")

    with pytest.raises(ValueError, match="lr must be"):
        Run(replace(SMALL, material=never), changes={"lr": -1.0})


def test_a_figure_that_a_look_lacks_is_left_open():
    run = Run(SMALL, 6)
    list(run)
    run.records[3] = replace(run.records[3], measured={"other": 2.0})
    assert run.log("x")["looks"]["loss"][1] is None
