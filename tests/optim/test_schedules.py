import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.optim.schedules import warmup_cosine

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


@given(
    warmup=st.integers(0, 50),
    rest=st.integers(1, 200),
    peak=st.floats(1e-6, 10),
    share=st.floats(0, 1),
)
def test_rises_then_falls_and_stays_within_bounds(warmup, rest, peak, share):
    floor = peak * share
    rates = [
        warmup_cosine(s, peak=peak, floor=floor, warmup_steps=warmup, total_steps=warmup + rest)
        for s in range(warmup + rest + 5)
    ]
    slack = 1e-12 * peak
    assert all(b > a for a, b in zip(rates[:warmup], rates[1 : warmup + 1], strict=True))
    assert all(b <= a + slack for a, b in zip(rates[warmup:], rates[warmup + 1 :], strict=False))
    assert max(rates) == pytest.approx(peak)
    assert rates[-6:] == pytest.approx([rates[-6]] + [floor] * 5)


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
def test_bad_numbers_are_named(change, message):
    arguments = {"step": 5, **CURVE, **change}
    with pytest.raises(ValueError, match=message):
        warmup_cosine(arguments.pop("step"), **arguments)
