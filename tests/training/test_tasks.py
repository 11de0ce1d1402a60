"""The loop asks a task, whatever it is, and reports what the task measured."""

from dataclasses import replace
from typing import NamedTuple

import pytest
import tiny
import torch
from torch import Tensor

from course_lib.training.loop import train, train_on, update
from course_lib.training.objectives import mean_loss
from course_lib.training.tasks import NextToken, on_device


class Two(NamedTuple):
    first: Tensor
    second: Tensor


class TwoParts:
    """A task with two losses, on batches that are named."""

    def require_fits(self, config):
        assert config is tiny.SHAPE

    def draw(self, seq_len, batch_size, generator):
        return Two(*torch.randint(13, (2, batch_size, seq_len), generator=generator))

    def fixed(self, seq_len, n_rows):
        return Two(*torch.zeros(2, n_rows, seq_len, dtype=torch.int64))

    def losses(self, model, batch):
        assert isinstance(batch, Two)
        return {"there": model(batch.first).square().mean(), "back": model(batch.second).mean()}

    def measure(self, model, batch, batch_size):
        return {"loss": float(len(batch.first)), "accuracy": 0.25}


def test_the_loop_sums_the_parts_and_hands_on_the_figures():
    records = list(train_on(tiny.fresh(), TwoParts()))
    assert all(set(r.parts) == {"there", "back"} for r in records)
    assert all(r.train_loss == pytest.approx(sum(r.parts.values())) for r in records)
    looked = [r for r in records if r.measured]
    assert [r.step for r in looked] == [1, 4, 8, 12]
    assert all(r.measured == {"loss": 6.0, "accuracy": 0.25} for r in looked)  # 2 batches of 3
    assert [r.validation_loss for r in looked] == [6.0] * 4
    assert all(r.validation_loss is None for r in records if not r.measured)


def test_an_update_follows_the_gradient_of_the_sum():
    state = tiny.fresh(shape=replace(tiny.SHAPE, dropout=0.0))
    batch = TwoParts().draw(6, 3, torch.Generator().manual_seed(3))
    sum(TwoParts().losses(state.model, batch).values()).backward()
    squares = [p.grad.square().sum() for p in state.model.parameters()]
    expected = torch.stack(squares).sum().sqrt().item()
    _, norm = update(state, TwoParts(), batch, lr=0.0)
    assert norm == pytest.approx(expected, rel=1e-5)


def test_next_token_is_what_train_trains_on():
    plain, by_task = tiny.fresh(), tiny.fresh()
    list(train(plain, tiny.TRAIN_IDS, tiny.VALIDATION_IDS))
    list(train_on(by_task, NextToken(tiny.TRAIN_IDS, tiny.VALIDATION_IDS)))
    assert tiny.same(tiny.everything(plain), tiny.everything(by_task))


def test_next_token_measures_the_mean_loss():
    task, model = NextToken(tiny.TRAIN_IDS, tiny.VALIDATION_IDS), tiny.fresh().model
    held_out = task.fixed(6, 5)
    assert task.measure(model, held_out, 2) == {"loss": mean_loss(model, *held_out, 2)}


def test_next_token_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="validation_ids must lie in"):
        NextToken(tiny.TRAIN_IDS, tiny.TRAIN_IDS + 5).require_fits(tiny.SHAPE)


def test_a_batch_keeps_its_kind_when_it_moves():
    pair = torch.zeros(2), torch.ones(2)
    assert isinstance(on_device(Two(*pair), torch.device("cpu")), Two)
    assert type(on_device(pair, torch.device("cpu"))) is tuple
    meta = on_device(Two(*pair), torch.device("meta"))
    assert meta.first.device.type == meta.second.device.type == "meta"
