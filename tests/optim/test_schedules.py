import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    get_cosine_schedule_with_warmup,
    get_inverse_sqrt_schedule,
    get_linear_schedule_with_warmup,
)

from course_lib.optim.schedules import (
    rates,
    warm_up,
    warmup_cosine,
    warmup_inverse_sqrt,
    warmup_linear,
)

ALL = (warmup_cosine, warmup_linear, warmup_inverse_sqrt)
CURVE = {"peak": 1.0, "floor": 0.1, "warmup_steps": 100, "total_steps": 1000}


@pytest.mark.parametrize(
    ("step", "expected"),
    [(0, 0.0), (1, 0.01), (50, 0.5), (100, 1.0), (550, 0.55), (1000, 0.1), (1001, 0.1)],
)
def test_known_points(step, expected):
    assert warmup_cosine(step, **CURVE) == pytest.approx(expected, abs=1e-12)


def test_exact_at_both_ends():
    assert warmup_cosine(0, **CURVE) == 0.0
    assert warmup_cosine(1000, **CURVE) == 0.1


def test_does_not_rise_again_where_the_bare_cosine_does():
    # One full period later the unclamped formula is back at the peak.
    progress = (1900 - 100) / 900
    assert 0.1 + 0.45 * (1 + math.cos(math.pi * progress)) == pytest.approx(1.0)
    assert warmup_cosine(1900, **CURVE) == 0.1


def test_a_quarter_of_the_fall_is_not_a_straight_line():
    assert warmup_cosine(325, **CURVE) == pytest.approx(0.1 + 0.45 * (1 + math.sqrt(0.5)))


def test_no_warm_up_starts_at_the_peak():
    assert warmup_cosine(0, peak=2.0, floor=0.0, warmup_steps=0, total_steps=7) == 2.0


@pytest.mark.parametrize(
    ("step", "expected"),
    [(0, 0.0), (1, 0.01), (100, 1.0), (325, 0.775), (550, 0.55), (1000, 0.1), (1900, 0.1)],
)
def test_linear_at_known_points(step, expected):
    assert warmup_linear(step, **CURVE) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 0.0), (50, 0.5), (100, 1.0), (400, 0.5), (1600, 0.25), (40000, 0.1)]
)
def test_inverse_square_root_at_known_points(step, expected):
    curve = {"peak": 1.0, "floor": 0.1, "warmup_steps": 100}
    assert warmup_inverse_sqrt(step, **curve) == pytest.approx(expected, abs=1e-12)


def test_inverse_square_root_stays_as_it_is_at_the_end():
    curve = {**CURVE, "floor": 0.0}
    assert warmup_inverse_sqrt(1001, **curve) == warmup_inverse_sqrt(1000, **curve)
    assert warmup_inverse_sqrt(1000, **curve) == pytest.approx(math.sqrt(0.1))


@pytest.mark.parametrize("step", [1, 399, 400, 401, 7000])
def test_inverse_square_root_is_the_formula_of_the_paper(step):
    d_model, warmup = 512, 400  # equation 3 of Vaswani et al. 2017
    paper = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ours = warmup_inverse_sqrt(step, peak=(d_model * warmup) ** -0.5, warmup_steps=warmup)
    assert ours == pytest.approx(paper, rel=1e-12)


def test_warm_up_is_a_share():
    assert [warm_up(step, 4) for step in range(6)] == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert warm_up(0, 0) == 1.0


def test_warm_up_alone_is_what_the_schedules_begin_with():
    for step, schedule in [(s, f) for s in range(101) for f in ALL]:
        assert schedule(step, **{**CURVE, "peak": 3.0}) == pytest.approx(3.0 * warm_up(step, 100))


def test_linear_and_cosine_meet_at_both_ends_and_half_way():
    for step in (100, 550, 1000):
        assert warmup_linear(step, **CURVE) == pytest.approx(warmup_cosine(step, **CURVE))
    gaps = [warmup_cosine(s, **CURVE) - warmup_linear(s, **CURVE) for s in range(100, 1001)]
    assert max(gaps) == pytest.approx(0.1053 * 0.9, abs=1e-4)  # where sin(pi x) = 2 / pi
    assert gaps == pytest.approx([-g for g in reversed(gaps)], abs=1e-12)


def their_rates(schedule, n_updates, peak):
    """What an optimiser of torch is given for each update by a scheduler that steps after it."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=peak)
    scheduler = schedule(optimizer)
    given_rates = []
    for _ in range(n_updates):
        given_rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return given_rates


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (warmup_cosine, get_cosine_schedule_with_warmup),
        (warmup_linear, get_linear_schedule_with_warmup),
    ],
)
def test_agrees_with_transformers_which_counts_from_zero(ours, theirs):
    curve = {"peak": 0.3, "floor": 0.0, "warmup_steps": 7, "total_steps": 40}
    expected = their_rates(lambda o: theirs(o, 7, 40), 41, 0.3)
    assert expected[0] == 0.0
    assert rates(lambda s: ours(s, **curve), 41, first_step=0) == pytest.approx(expected, abs=1e-15)


def test_the_cosine_of_transformers_rises_again_and_ours_does_not():
    theirs = their_rates(lambda o: get_cosine_schedule_with_warmup(o, 10, 100), 151, 1.0)
    assert theirs[150] == pytest.approx(0.587, abs=1e-3)
    assert warmup_cosine(150, peak=1.0, floor=0.0, warmup_steps=10, total_steps=100) == 0.0


def test_inverse_square_root_agrees_with_transformers():
    expected = their_rates(lambda o: get_inverse_sqrt_schedule(o, 9), 300, 0.3)
    ours = rates(lambda s: warmup_inverse_sqrt(s, peak=0.3, warmup_steps=9), 300, first_step=0)
    assert ours == pytest.approx(expected, rel=1e-12)


def test_agrees_with_the_schedulers_of_torch():
    def theirs(optimizer):
        rise = torch.optim.lr_scheduler.LinearLR(optimizer, 1e-9, 1.0, total_iters=6)
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 34, eta_min=0.02)
        return torch.optim.lr_scheduler.SequentialLR(optimizer, [rise, fall], milestones=[6])

    curve = {"peak": 0.3, "floor": 0.02, "warmup_steps": 6, "total_steps": 40}
    expected = their_rates(theirs, 41, 0.3)
    ours = rates(lambda s: warmup_cosine(s, **curve), 41, first_step=0)
    assert ours == pytest.approx(expected, abs=1e-8)  # torch's rise may not start at 0 exactly


def test_the_first_update_is_wasted_when_updates_are_counted_from_zero():
    curve = {"peak": 1.0, "floor": 0.25, "warmup_steps": 4, "total_steps": 8}
    from_one = rates(lambda s: warmup_linear(s, **curve), 8)
    from_zero = rates(lambda s: warmup_linear(s, **curve), 8, first_step=0)
    assert from_one[0] == 0.25 and from_one[-1] == 0.25
    assert from_zero[0] == 0.0 and from_zero[-1] > 0.25
    assert from_zero[1:] == from_one[:-1]
    assert rates(lambda s: 1.0, 0) == []


@given(
    schedule=st.sampled_from(ALL),
    warmup=st.integers(1, 50),
    rest=st.integers(1, 200),
    peak=st.floats(1e-6, 10),
    share=st.floats(0, 1),
)
def test_rises_then_falls_and_stays_within_bounds(schedule, warmup, rest, peak, share):
    floor, total = peak * share, warmup + rest
    curve = {"peak": peak, "floor": floor, "warmup_steps": warmup, "total_steps": total}
    curve_rates = [schedule(s, **curve) for s in range(total + 5)]
    slack = 1e-12 * peak
    rise, fall = curve_rates[: warmup + 1], curve_rates[warmup:]
    assert all(b > a for a, b in zip(rise, rise[1:], strict=False))
    assert all(b <= a + slack for a, b in zip(fall, fall[1:], strict=False))
    assert max(curve_rates) == pytest.approx(peak)
    assert min(fall) >= floor - slack
    assert curve_rates[-5:] == [curve_rates[-5]] * 5  # clamped after the end
    if schedule is not warmup_inverse_sqrt:
        assert curve_rates[-1] == floor


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": -1}, "step must be >= 0, got -1"),
        ({"peak": -1.0}, "peak must be a finite number >= 0"),
        ({"peak": math.inf}, "peak must be a finite number >= 0"),
        ({"floor": 2.0}, r"floor must lie in \[0, peak=1.0\], got 2.0"),
        ({"floor": -0.1}, "floor must lie in"),
        ({"floor": math.nan}, "floor must lie in"),
        ({"warmup_steps": -1}, "warmup_steps must be >= 0"),
        ({"total_steps": 100}, "total_steps must be > warmup_steps=100, got 100"),
    ],
)
@pytest.mark.parametrize("schedule", ALL)
def test_bad_numbers_are_named(schedule, change, message):
    arguments = {"step": 5, **CURVE, **change}
    with pytest.raises(ValueError, match=message):
        schedule(arguments.pop("step"), **arguments)


def test_what_only_some_refuse():
    with pytest.raises(ValueError, match="warmup_steps must be >= 1 for this decay, got 0"):
        warmup_inverse_sqrt(1, peak=1.0, warmup_steps=0)
    with pytest.raises(ValueError, match="step must be >= 0, got -1"):
        warm_up(-1, 5)
    with pytest.raises(ValueError, match="first_step must be 0 or 1, got 2"):
        rates(lambda s: 1.0, 3, first_step=2)
    with pytest.raises(ValueError, match="n_updates must be a whole number >= 0, got -1"):
        rates(lambda s: 1.0, -1)
