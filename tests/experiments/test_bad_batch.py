"""One bad batch: SGD pays at once, Adam later, and clipping spares both."""

import math

import pytest

from course_lib.experiments.bad_batch import (
    CLIPPED,
    EARLY,
    LATE,
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
        assert kind[NO_SPIKE][: EARLY - 1] == kind[UNCLIPPED][: EARLY - 1]
        assert kind[NO_SPIKE][EARLY - 1] != kind[UNCLIPPED][EARLY - 1]


def test_a_batch_like_all_others_changes_nothing():
    run = bad_batch("Adam", 1.0)
    assert run.losses[NO_SPIKE] == run.losses[UNCLIPPED]


def test_clipped_updates_of_sgd_are_never_longer_than_allowed():
    run = bad_batch("SGD", 1000.0)
    assert max(run.sizes[CLIPPED]) <= LR * MAX_NORM * (1 + 1e-5)
    assert run.sizes[CLIPPED][EARLY - 1] == pytest.approx(LR * MAX_NORM, rel=1e-5)
    assert run.sizes[UNCLIPPED][EARLY - 1] > 20


def test_sgd_is_thrown_and_adam_is_slowed():
    thrown, slowed = (bad_batch(o, 1000.0) for o in ("SGD", "Adam"))
    assert thrown.losses[UNCLIPPED][EARLY - 1] > 100 * thrown.losses[UNCLIPPED][EARLY - 2]
    assert slowed.losses[UNCLIPPED][EARLY - 1] < 1.1 * slowed.losses[UNCLIPPED][EARLY - 2]
    assert slowed.sizes[UNCLIPPED][EARLY + 40] < 0.4 * slowed.sizes[NO_SPIKE][EARLY + 40]
    assert slowed.losses[UNCLIPPED][-1] > 10 * slowed.losses[CLIPPED][-1]


def steps_lost(run, beta2, max_norm=MAX_NORM):
    spoilt, clean = (
        bad_batch("Adam", n, beta2, EARLY, max_norm).reached(run) for n in (100.0, 1.0)
    )
    return spoilt - clean


@pytest.mark.parametrize("beta2", [0.95, 0.98, 0.999])
def test_adam_loses_steps_unless_clipped(beta2):
    assert steps_lost(UNCLIPPED, beta2) > 30 and steps_lost(NO_SPIKE, beta2) == 0
    assert all(abs(steps_lost(CLIPPED, beta2, c)) <= 5 for c in (1.0, 15.0))


def test_late_in_a_run_adam_is_thrown_by_the_steps_after_the_spike():
    run = bad_batch("Adam", 1000.0, at=LATE)
    before, after = slice(LATE - 2, LATE - 1), slice(LATE - 1, LATE + 14)

    def rise(name):
        return max(run.losses[name][after]) / run.losses[name][before][0]

    assert rise(NO_SPIKE) < 1.2 and 1.3 < rise(CLIPPED) < 2.2 and rise(UNCLIPPED) > 3.5
    assert run.losses[UNCLIPPED][LATE - 1] < 1.15 * run.losses[UNCLIPPED][LATE - 2]


def test_no_weight_of_adam_moves_farther_in_the_bad_step_than_in_good_ones():
    largest = [bad_batch("Adam", n).farthest[UNCLIPPED][EARLY - 1] for n in (10.0, 100.0, 1000.0)]
    assert max(largest) < 1.2 and bad_batch("SGD", 1000.0).farthest[UNCLIPPED][EARLY - 1] > 500
    assert bad_batch("Adam", 1.0).farthest[NO_SPIKE][0] == pytest.approx(1.0, abs=1e-4)


def test_steps_are_counted_until_the_loss_stays_below():
    losses = dict(zip(RUNS, ([3, 0.4, 0.1], [3, 0.4, 0.9], [3, 0.6, 0.4]), strict=True))
    short = BadBatch("Adam", 1.0, EARLY, {}, {}, {n: v + [0.1] * 297 for n, v in losses.items()})
    assert [short.reached(run) for run in RUNS] == [2, 4, 3]
    never = BadBatch("Adam", 1.0, EARLY, {}, {}, {CLIPPED: [9.0] * 300, NO_SPIKE: [0.1] * 300})
    assert never.reached(CLIPPED) == math.inf and never.reached(NO_SPIKE) == 1


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="optimiser must be one of .* got 'Lion'"):
        bad_batch("Lion", 2.0)
    with pytest.raises(ValueError, match="noise must be >= 1, got 0.5"):
        bad_batch("Adam", 0.5)
    with pytest.raises(ValueError, match=r"beta2 must lie in \[0, 1\), got 1.0"):
        bad_batch("Adam", 2.0, 1.0)
    with pytest.raises(ValueError, match=r"at must lie in \[1, 300\], got 301"):
        bad_batch("Adam", 2.0, at=301)
    with pytest.raises(ValueError, match="max_norm must be > 0, got 0.0"):
        bad_batch("Adam", 2.0, max_norm=0.0)
