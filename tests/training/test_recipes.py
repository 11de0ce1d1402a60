import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from tiny import config

from course_lib.config import BertConfig, GPTConfig
from course_lib.training.recipes import (
    BIBLE_BERT,
    BIBLE_GPT,
    RECIPES,
    STORIES_GPT,
    Run,
    corpus_pairs_material,
    gpt_material,
)

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
