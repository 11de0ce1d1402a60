import math

import pytest
import tiny
import torch

from course_lib.config import GPTConfig
from course_lib.mechanisms.losses import cross_entropy
from course_lib.training.loop import (
    StepRecord,
    byte_sampler,
    learning_rate,
    train,
    train_on,
    update,
)
from course_lib.training.objectives import spread_windows
from course_lib.training.tasks import NextToken

GRADED = NextToken(tiny.TRAIN_IDS, tiny.VALIDATION_IDS)


def run(state, sampler=None):
    return list(train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS, sampler=sampler))


def test_one_record_a_step():
    records = run(tiny.fresh())
    assert [r.step for r in records] == list(range(1, 13))
    assert [r.step for r in records if r.validation_loss is not None] == [1, 4, 8, 12]
    assert [r.lr for r in records] == [learning_rate(s, tiny.config()) for s in range(1, 13)]
    assert records[0].lr == 0.0015  # half the peak: no update is made with a rate of 0
    assert records[-1].lr == 0.0003
    assert all(r.total_steps == 12 and r.grad_norm > 0 and r.seconds > 0 for r in records)


def test_learns_a_text_that_repeats():
    shape = GPTConfig(13, 6, d_model=16, n_layers=1, n_heads=2)
    state = tiny.fresh(60, shape=shape, lr=0.03)
    ids = torch.arange(13).repeat(20)
    records = list(train(state, ids, ids))
    assert records[0].train_loss == pytest.approx(math.log(13), abs=0.3)
    assert records[-1].validation_loss < 0.2


def test_deterministic_and_the_seed_matters():
    first, again, other = (run(tiny.fresh(seed=seed)) for seed in (0, 0, 1))
    assert [r.train_loss for r in first] == [r.train_loss for r in again]
    assert first[0].train_loss != other[0].train_loss


def test_neither_the_global_generator_nor_looking_changes_the_run():
    expected = tiny.fresh(eval_every=100)
    run(expected)
    state = tiny.fresh(eval_every=1, sample_every=1)
    for _ in train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS, sampler=lambda m, g: "text"):
        torch.rand(3)
        state.model.eval()  # a cell that looked and forgot to switch back
    assert tiny.same(tiny.everything(state), tiny.everything(expected))


def test_the_run_leaves_the_global_generator_alone():
    state = tiny.fresh()
    before = torch.get_rng_state()
    run(state)
    assert torch.equal(torch.get_rng_state(), before)


def test_dropout_is_drawn_anew_each_step_and_off_when_looking():
    state = tiny.fresh()
    records = run(state)
    inputs, targets = spread_windows(tiny.VALIDATION_IDS, 6, 6)
    state.model.eval()
    expected = cross_entropy(state.model(inputs), targets).item()
    assert records[-1].validation_loss == pytest.approx(expected, rel=1e-6)
    # Same windows, same weights, rate 0: only dropout can tell two steps apart.
    losses = {update(state, GRADED, (inputs, targets), 0.0)[0]["next token"] for _ in range(3)}
    assert len(losses) == 3


def test_stopping_and_going_on_is_the_same_run():
    whole = run(tiny.fresh())
    state = tiny.fresh()
    parts = []
    for stop in (1, 5, 12):
        for record in train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS):
            parts.append(record)
            if record.step == stop:
                break
    assert [(r.step, r.train_loss, r.validation_loss, r.grad_norm) for r in parts] == [
        (r.step, r.train_loss, r.validation_loss, r.grad_norm) for r in whole
    ]
    assert run(state) == []


def test_one_update_by_hand():
    state = tiny.fresh(shape=GPTConfig(13, 6, d_model=8, n_layers=2, n_heads=2))
    twin = tiny.fresh(shape=GPTConfig(13, 6, d_model=8, n_layers=2, n_heads=2))
    inputs, targets = spread_windows(tiny.TRAIN_IDS, 6, 5)
    parts, norm = update(state, GRADED, (inputs, targets), lr=0.01)
    expected = torch.nn.functional.cross_entropy(
        twin.model(inputs).flatten(0, 1), targets.flatten()
    )
    expected.backward()
    expected_norm = torch.nn.utils.clip_grad_norm_(twin.model.parameters(), 1.0)
    for group in twin.optimizer.param_groups:
        group["lr"] = 0.01
    twin.optimizer.step()
    assert parts == pytest.approx({"next token": expected.item()}, rel=1e-6)
    assert norm == pytest.approx(expected_norm.item(), rel=1e-5)
    for a, b in zip(state.model.parameters(), twin.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_samples():
    state = tiny.fresh(sample_every=5)
    records = run(state, sampler=lambda model, generator: f"{torch.rand(1, generator=generator)}")
    assert [r.step for r in records if r.sample] == [5, 10, 12]
    assert len({r.sample for r in records if r.sample}) == 3
    assert all(r.sample is None for r in run(tiny.fresh(sample_every=5)))  # 13 ids are not bytes


def test_a_model_over_bytes_writes_text_by_itself():
    shape = GPTConfig(vocab_size=256, max_seq_len=6, d_model=8, n_layers=1, n_heads=2)
    records = run(tiny.fresh(2, shape=shape, warmup_steps=0, sample_every=1))
    assert all(isinstance(r.sample, str) and len(r.sample) > 60 for r in records)
    state = tiny.fresh(2, shape=shape)
    (first, again) = (
        byte_sampler("é", 9)(state.model, torch.Generator().manual_seed(4)) for _ in range(2)
    )
    assert first == again
    assert first.startswith("é")
    assert state.model.training


@pytest.mark.parametrize("poison", ["loss", "gradient"])
def test_a_bad_number_stops_before_the_update(poison):
    state = tiny.fresh()
    records = train(state, tiny.TRAIN_IDS, tiny.VALIDATION_IDS)
    next(records)
    weight = state.model.final_norm.weight
    if poison == "loss":
        with torch.no_grad():
            weight[0] = math.nan
    else:
        weight.register_hook(lambda gradient: gradient * math.inf)
    before = tiny.everything(state)
    with pytest.raises(ValueError, match=r"must be finite, got .* at step 2 \(loss .*, lr 0.003"):
        next(records)
    after = tiny.everything(state)
    assert all(torch.equal(after[k].nan_to_num(9), before[k].nan_to_num(9)) for k in before)
    assert state.step == 1


def test_modes_come_back_after_an_error_while_looking():
    state = tiny.fresh()
    state.model.blocks[0].eval()  # a frozen part keeps its own mode

    def fails(model, generator):
        raise RuntimeError("no text today")

    looked = []
    state.model.register_forward_hook(lambda m, *_: looked.append(m.training))
    sampler = byte_sampler("\x01", 1)
    sampler(state.model, torch.Generator())
    assert looked == [False]
    assert state.model.training
    assert not state.model.blocks[0].training
    state.config = tiny.config(sample_every=1)
    with pytest.raises(RuntimeError, match="no text today"):
        run(state, sampler=fails)
    assert state.step == 1
    assert state.model.training


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ({"train_ids": torch.tensor([], dtype=torch.int64)}, ValueError, "train_ids .* empty"),
        ({"validation_ids": torch.arange(6)}, ValueError, "validation_ids must hold at least"),
        ({"train_ids": torch.zeros(99)}, TypeError, "train_ids must hold whole numbers"),
        ({"train_ids": torch.arange(14)}, ValueError, r"train_ids must lie in \[0, vocab_size=13"),
        ({"validation_ids": torch.arange(9) - 1}, ValueError, "validation_ids must lie in"),
    ],
)
def test_bad_text_is_named_before_the_first_step(texts, error, message):
    state = tiny.fresh()
    before = tiny.everything(state)
    with pytest.raises(error, match=message):
        train(
            state, **{"train_ids": tiny.TRAIN_IDS, "validation_ids": tiny.VALIDATION_IDS, **texts}
        )
    assert state.step == 0
    assert tiny.same(tiny.everything(state), before)


def test_an_impossible_schedule_is_named_before_the_first_step():
    with pytest.raises(ValueError, match="total_steps must be > warmup_steps=20, got 12"):
        train(tiny.fresh(warmup_steps=20), tiny.TRAIN_IDS, tiny.VALIDATION_IDS)


def test_spread_windows():
    inputs, targets = spread_windows(torch.arange(100), 9, 3)
    assert inputs[:, 0].tolist() == [0, 27, 63]  # of 11 windows: 0, 3, 7
    assert torch.equal(targets, inputs + 1)
    assert len(spread_windows(torch.arange(20), 9, 50)[0]) == 2


def test_records_are_frozen():
    record = StepRecord(1, 2, 3.0, None, 0.1, 1.0, 0.5)
    with pytest.raises(AttributeError):
        record.step = 5


def test_a_sampler_that_is_no_function_is_named_before_the_first_step(as_shipped):
    with pytest.raises(TypeError, match="sampler must be a function, got 3"):
        as_shipped(train_on)(tiny.fresh(), GRADED, sampler=3)


def test_a_linear_decay_ends_at_its_floor():
    choices = dict(decay="linear", min_lr=0.0, lr=0.01)
    records = run(tiny.fresh(**choices))
    assert [r.lr for r in records] == pytest.approx(
        [0.005, 0.01, *(0.01 * (12 - step) / 10 for step in range(3, 13))]
    )
    assert records[-1].lr == 0.0
    assert run(tiny.fresh(lr=0.01))[6].lr != records[6].lr
