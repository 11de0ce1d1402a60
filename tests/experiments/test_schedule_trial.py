"""The small problem of lesson 43: the rates are the library's, the loss answers to them."""

import pytest
import torch

from course_lib.experiments import schedule_trial as trials
from course_lib.experiments.schedule_trial import (
    BEYOND,
    DECAYS,
    TOTAL,
    bare_cosine,
    schedule_trial,
)
from course_lib.optim.schedules import warmup_cosine


def test_the_update_is_torch_s_adam_on_the_mean_square():
    given = [0.05] * 30
    inputs, noise = trials._batches()
    targets_off = noise[:30]
    away = torch.nn.Parameter(torch.ones(trials.N_RUNS, trials.N_FEATURES))
    adam = torch.optim.Adam([away], 0.05, (0.9, 0.95))
    for x, e in zip(inputs, targets_off, strict=False):
        adam.zero_grad()
        wrong = torch.einsum("rbf,rf->rb", x, away) - e
        (0.5 * wrong.square().mean(1).sum()).backward()
        adam.step()
    expected = 0.5 * away.detach().square().sum(-1).mean()
    short = trials._batches
    trials_inputs = tuple(t[:30] for t in short())
    try:
        trials._batches = lambda: trials_inputs
        losses = trials._fit(given)
    finally:
        trials._batches = short
    assert losses[-1].item() == pytest.approx(expected.item(), rel=1e-4)


def test_rates_begin_at_step_one_and_go_on_after_the_end():
    trial = schedule_trial("cosine", 20, 0.1)
    curve = {"peak": 0.1, "floor": 0.0, "warmup_steps": 20, "total_steps": TOTAL}
    assert trial.rates == [warmup_cosine(s, **curve) for s in range(1, TOTAL + BEYOND + 1)]
    assert len(trial.losses) == TOTAL + BEYOND


@pytest.mark.parametrize("decay", DECAYS)
def test_held_rates_stay_after_the_end(decay):
    trial = schedule_trial(decay, 10, 0.1)
    assert len(set(trial.rates[TOTAL - 1 :])) == 1


@pytest.mark.parametrize("decay", ["linear", "cosine"])
def test_bare_rates_are_the_same_up_to_the_end_and_not_after_it(decay):
    held, bare = (schedule_trial(decay, 10, 0.1, held) for held in (True, False))
    assert bare.rates[:TOTAL] == pytest.approx(held.rates[:TOTAL], abs=1e-15)
    assert bare.rates[-1] < -0.01 if decay == "linear" else bare.rates[-1] > 0.01


def test_the_bare_cosine_of_the_lesson():
    curve = {"peak": 1.0, "floor": 0.1, "warmup_steps": 100, "total_steps": 1000}
    assert bare_cosine(550, **curve) == pytest.approx(0.55)
    assert bare_cosine(1900, **curve) == pytest.approx(1.0)


def test_without_decay_the_peak_sets_the_loss():
    ends = [schedule_trial("none", 20, peak).losses[TOTAL - 1] for peak in (0.05, 0.1, 0.2)]
    assert 2 * ends[0] < ends[1] < ends[2] / 2


@pytest.mark.parametrize("decay", ["linear", "cosine"])
def test_decay_lets_the_loss_settle_and_a_rate_below_zero_climbs(decay):
    plain, decayed = (schedule_trial(d, 20, 0.1).losses[TOTAL - 1] for d in ("none", decay))
    assert decayed < plain / 4
    bare = schedule_trial(decay, 20, 0.1, held=False).losses
    assert bare[-1] > 2 * bare[TOTAL - 1]


def test_warm_up_gains_nothing_here():
    ends = [schedule_trial("cosine", w, 0.1).losses[TOTAL - 1] for w in (1, 20, 80)]
    assert ends[0] < ends[1] < ends[2]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="decay must be one of .* got 'step'"):
        schedule_trial("step", 10, 0.1)
    with pytest.raises(ValueError, match="warmup must be a whole number >= 1, got 0"):
        schedule_trial("cosine", 0, 0.1)
