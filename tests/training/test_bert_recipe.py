from dataclasses import replace
from functools import partial

import pytest
import torch
from tiny import config

from course_lib.config import BertConfig
from course_lib.data.story_floors import EVERYDAY_MASKED, EVERYDAY_NEXT
from course_lib.data.story_pairs import encode_words, story_tokenizer
from course_lib.models.bert import BertPretraining
from course_lib.training.recipes import RECIPES, STORIES_BERT, Run, story_pairs_material
from course_lib.training.recipes.recipe import BUDGETS

SMALL = replace(
    STORIES_BERT, name="small", material=partial(story_pairs_material, n_pairs=40, n_held_out=24),
    shape=lambda v: BertConfig(v, 96, d_model=8, n_layers=1, n_heads=2), settings=config(9),
)  # fmt: skip


def test_a_run_is_written_down():
    run = Run(SMALL, steps=5)
    records = list(run)
    log = run.log("the command")
    assert log["steps"] == [1, 4, 5] and log["ids"] == "wordpiece"
    for name in ("mlm", "nsp", "mlm accuracy", "masked accuracy", "nsp accuracy"):
        assert len(log["looks"][name]) == 3
    assert all(r.train_loss == pytest.approx(r.parts["mlm"] + r.parts["nsp"]) for r in records)
    assert log["floors"]["mlm"] == EVERYDAY_MASKED.floor.loss
    assert log["floors"]["nsp"] == EVERYDAY_NEXT.loss
    assert log["floor"] == pytest.approx(sum(log["floors"][name] for name in ("mlm", "nsp")))
    # Real tokens: every row is a story with three special tokens.
    assert log["tokens_seen"] / (5 * 3) == pytest.approx(58, abs=6)


def test_more_is_hidden_in_training_than_in_what_is_measured():
    task = story_pairs_material(n_pairs=200, n_held_out=200).task
    batch, held_out = task.draw(96, 200, torch.Generator().manual_seed(0)), task.fixed(96, 200)
    for rows, rate in ((batch, 0.3), (held_out, 0.15)):
        words = rows.real.sum() - 3 * len(rows.real)
        assert float((rows.token_targets >= 0).sum() / words) == pytest.approx(rate, abs=0.02)


def test_the_trained_model_can_be_asked():
    shipped = Run(SMALL, 1).shipped()
    assert shipped.tokenizer.vocabulary == story_tokenizer().vocabulary
    assert isinstance(shipped.model, BertPretraining) and not shipped.model.training
    ids = torch.tensor([encode_words(["Tom", "had", "a", "[MASK]", "."]).token_ids])
    assert shipped.model(ids).tokens.shape == (1, 7, len(story_tokenizer().vocabulary))


def test_the_recipe_is_listed_and_has_every_budget():
    assert RECIPES["stories-bert"] is STORIES_BERT
    assert tuple(STORIES_BERT.budgets) == BUDGETS
    assert STORIES_BERT.settings.total_steps == STORIES_BERT.budgets["minute"]
    assert STORIES_BERT.budgets["minute"] < STORIES_BERT.budgets["coffee"]


@pytest.mark.parametrize(("text", "ids"), [("web-bible", None), ("stories", "bytes")])
def test_what_it_cannot_read_is_named(text, ids):
    with pytest.raises(ValueError, match=f"got '{text}' and {ids!r}"):
        story_pairs_material(text, ids)
