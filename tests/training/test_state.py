import io
from dataclasses import replace

import pytest
import tiny
import torch

from course_lib.config import GPTConfig
from course_lib.optim.muon import Muon
from course_lib.training.checkpoint import save_checkpoint
from course_lib.training.loop import train
from course_lib.training.state import TrainState, resume, save


def losses(state):
    records = train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    return [(r.step, r.train_loss, r.validation_loss, r.lr, r.grad_norm) for r in records]


def stopped_at(step):
    state = tiny.fresh()
    records = train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    for _ in range(step):
        next(records)
    return state


def saved(state):
    buffer = io.BytesIO()
    save(state, buffer)
    buffer.seek(0)
    return buffer


@pytest.mark.parametrize("stop", [0, 1, 5, 12])
def test_resume_goes_on_to_the_last_bit(stop, tmp_path):
    whole = losses(tiny.fresh())
    state = stopped_at(stop)
    save(state, tmp_path / "run.safetensors")
    torch.manual_seed(1234)
    again = resume(tmp_path / "run.safetensors")
    assert (again.step, again.config) == (stop, state.config)
    assert again.model.config == state.model.config
    assert losses(again) == losses(state) == whole[stop:]
    assert tiny.same(tiny.everything(again), tiny.everything(state))


@pytest.mark.parametrize("stop", [0, 5])
def test_a_run_with_muon_goes_on_to_the_last_bit(stop):
    later = replace(
        tiny.SHAPE, positions="rotary", norm="rms", activation="relu squared", biases=False,
        qk_norm=True,
    )  # fmt: skip
    choices = dict(shape=later, optimizer="muon by head", decay="linear", min_lr=0.0)
    whole, state = losses(tiny.fresh(**choices)), tiny.fresh(**choices)
    for _, _ in zip(range(stop), train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS), strict=False):
        pass
    stop = state.step
    again = resume(saved(state))
    assert again.model.config == later and isinstance(again.optimizer, Muon)
    assert losses(again) == losses(state) == whole[stop:]
    assert tiny.same(tiny.everything(again), tiny.everything(state))
    assert whole != losses(tiny.fresh(shape=later, decay="linear", min_lr=0.0))


def test_resume_into_a_model_that_is_there():
    state, other = stopped_at(3), stopped_at(7)
    again = resume(saved(state), other.model)
    assert again.model is other.model
    assert losses(again) == losses(state)


def test_resume_leaves_the_global_generator_alone():
    file = saved(stopped_at(2))
    before = torch.get_rng_state()
    resume(file)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (GPTConfig(13, 6, 8, 2, 4, dropout=0.1), r"got n_heads=4 \(saved 2\), d_head=2"),
        (GPTConfig(14, 6, 8, 2, 2, dropout=0.1), r"got vocab_size=14 \(saved 13\)"),
    ],
)
def test_another_shape_is_refused_and_left_alone(shape, message):
    file = saved(stopped_at(2))
    other = tiny.fresh(shape=shape)
    before = tiny.everything(other)
    with pytest.raises(ValueError, match=message):
        resume(file, other.model)
    assert tiny.same(tiny.everything(other), before)


def test_a_damaged_file_leaves_the_model_alone():
    data = saved(stopped_at(2)).getvalue()
    other = stopped_at(1)
    before = tiny.everything(other)
    for cut in (0, 5, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match="truncated|empty"):
            resume(io.BytesIO(data[:cut]), other.model)
        assert tiny.same(tiny.everything(other), before)


def test_a_checkpoint_that_is_no_run():
    state, buffer = stopped_at(1), io.BytesIO()
    save_checkpoint(state.model, state.optimizer, 1, buffer)
    buffer.seek(0)
    with pytest.raises(ValueError, match="does not describe a training run: .*train_config"):
        resume(buffer)


def test_a_model_of_another_kind_must_be_given():
    class Other(type(tiny.fresh().model)):
        pass

    state = TrainState.fresh(Other(tiny.SHAPE), tiny.config())
    with pytest.raises(ValueError, match="model must be given to resume a 'Other', got None"):
        resume(saved(state))
    assert resume(saved(state), Other(tiny.SHAPE)).step == 0


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        resume(tmp_path / "nothing.safetensors")


def test_a_model_without_sizes_is_named():
    file = io.BytesIO()
    save(tiny.fresh(), file)
    file.seek(0)
    with pytest.raises(ValueError, match="model must have a config, got Linear"):
        resume(file, torch.nn.Linear(1, 1))
