"""One bad batch: SGD pays at once, Adam later, and clipping spares both."""

import math

import pytest

from course_lib.experiments.bad_batch import (
    AT,
    CLIPPED,
    LR,
    MAX_NORM,
    NO_SPIKE,
    RUNS,
    UNCLIPPED,
    BadBatch,
    bad_batch,
)


def test_up_to_the_bad_batch_nothing_differs_but_clipping():
    run = bad_batch("Adam", 100.0)
    for kind in (run.sizes, run.losses):
        assert kind[NO_SPIKE][: AT - 1] == kind[UNCLIPPED][: AT - 1]
        assert kind[NO_SPIKE][AT - 1] != kind[UNCLIPPED][AT - 1]


def test_a_batch_like_all_others_changes_nothing():
    run = bad_batch("Adam", 1.0)
    assert run.losses[NO_SPIKE] == run.losses[UNCLIPPED]


def test_clipped_updates_of_sgd_are_never_longer_than_allowed():
    run = bad_batch("SGD", 1000.0)
    assert max(run.sizes[CLIPPED]) <= LR * MAX_NORM * (1 + 1e-5)
    assert run.sizes[CLIPPED][AT - 1] == pytest.approx(LR * MAX_NORM, rel=1e-5)
    assert run.sizes[UNCLIPPED][AT - 1] > 20


def test_sgd_is_thrown_and_adam_is_slowed():
    thrown, slowed = (bad_batch(o, 1000.0) for o in ("SGD", "Adam"))
    assert thrown.losses[UNCLIPPED][AT - 1] > 100 * thrown.losses[UNCLIPPED][AT - 2]
    assert slowed.losses[UNCLIPPED][AT - 1] < 1.1 * slowed.losses[UNCLIPPED][AT - 2]
    assert slowed.sizes[UNCLIPPED][AT + 40] < 0.4 * slowed.sizes[NO_SPIKE][AT + 40]
    assert slowed.losses[UNCLIPPED][-1] > 10 * slowed.losses[CLIPPED][-1]


@pytest.mark.parametrize("beta2", [0.95, 0.98, 0.999])
def test_adam_loses_steps_unless_clipped(beta2):
    run = bad_batch("Adam", 100.0, beta2)
    assert run.slower_by(UNCLIPPED) > 30 and abs(run.slower_by(CLIPPED)) <= 5
    assert run.slower_by(NO_SPIKE) == 0


def test_steps_are_counted_until_the_loss_stays_below():
    losses = dict(zip(RUNS, ([3, 0.4, 0.1], [3, 0.4, 0.9], [3, 0.6, 0.4]), strict=True))
    short = BadBatch("Adam", 1.0, {}, {n: v + [0.1] * 297 for n, v in losses.items()})
    assert short.slower_by(UNCLIPPED) == 2 and short.slower_by(CLIPPED) == 1
    never = BadBatch("Adam", 1.0, {}, {NO_SPIKE: [0.1] * 300, CLIPPED: [9.0] * 300})
    assert never.slower_by(CLIPPED) == math.inf


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="optimiser must be one of .* got 'Lion'"):
        bad_batch("Lion", 2.0)
    with pytest.raises(ValueError, match="noise must be >= 1, got 0.5"):
        bad_batch("Adam", 0.5)
    with pytest.raises(ValueError, match=r"beta2 must lie in \[0, 1\), got 1.0"):
        bad_batch("Adam", 2.0, 1.0)
