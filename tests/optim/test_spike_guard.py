import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.optim.spike_guard import SpikeGuard

NORMS = st.lists(
    st.one_of(st.floats(0, 1e6), st.sampled_from([math.inf, math.nan, 1e30])), max_size=60
)


def decisions(guard, norms):
    return [guard.lets_in(norm) for norm in norms]


def test_a_spike_is_skipped_and_does_not_raise_the_bar():
    guard = SpikeGuard(3.0, decay=0.5, settle=0, patience=5)
    assert decisions(guard, [1, 1, 100, 2, 100]) == [True, True, False, True, False]
    assert guard.average == 1.5  # the hundreds never entered
    assert (guard.n_seen, guard.n_skipped, guard.n_not_finite) == (5, 2, 0)


def test_the_average_by_hand():
    guard = SpikeGuard(10.0, decay=0.75, settle=0)
    decisions(guard, [4.0, 8.0, 2.0])
    assert guard.average == 0.75 * (0.75 * 4 + 0.25 * 8) + 0.25 * 2


def test_exactly_the_factor_is_let_in():
    assert decisions(SpikeGuard(4.0, settle=0), [1.0, 4.0]) == [True, True]
    assert decisions(SpikeGuard(4.0, settle=0), [1.0, 4.0 + 1e-9]) == [True, False]


def test_all_finite_norms_are_let_in_while_the_average_forms():
    guard = SpikeGuard(2.0, decay=0.9, settle=3)
    assert decisions(guard, [1, 50, math.inf, 200]) == [True, True, False, True]
    assert not guard.lets_in(1e4)


def test_it_refuses_to_starve():
    guard = SpikeGuard(3.0, settle=0, patience=4)
    assert guard.lets_in(1.0)
    assert decisions(guard, [50.0] * 4) == [False] * 4
    assert guard.lets_in(60.0) and guard.average == 60.0  # the level has changed
    assert decisions(guard, [50.0] * 20) == [True] * 20
    assert guard.n_skipped == 4


def test_one_short_norm_ends_the_row():
    guard = SpikeGuard(3.0, settle=0, patience=2)
    assert decisions(guard, [1, 9, 9, 1, 9, 9]) == [True, False, False, True, False, False]


def test_a_model_that_is_broken_is_an_error_and_not_an_endless_skip():
    guard = SpikeGuard(patience=3)
    guard.lets_in(1.0)
    assert decisions(guard, [math.nan, math.inf, math.nan]) == [False] * 3
    with pytest.raises(ValueError, match="norm must be finite at least once in 4 batches, got nan"):
        guard.lets_in(math.nan)
    assert guard.lets_in(1.0)  # it goes on, if the caller has mended the model
    assert decisions(guard, [math.nan] * 3) == [False] * 3


@given(NORMS, st.integers(0, 5))
def test_never_lets_in_what_is_not_finite_and_never_starves(norms, settle):
    guard = SpikeGuard(2.0, decay=0.8, settle=settle, patience=3)
    skipped = long = 0
    for norm in norms:
        try:
            let_in = guard.lets_in(norm)
        except ValueError:
            let_in = False
        skipped += not let_in
        if not math.isfinite(norm):
            assert not let_in
        else:
            long = 0 if let_in else long + 1
        assert long <= 3
        assert guard.average is None or math.isfinite(guard.average)
    assert guard.n_skipped == skipped and guard.n_seen == len(norms)
    finite = [n for n in norms if math.isfinite(n)]
    if finite:
        assert min(finite) * (1 - 1e-9) <= guard.average <= max(finite) * (1 + 1e-9)


@given(NORMS, NORMS)
def test_a_resumed_guard_decides_alike(before, after):
    def asked(guard, norms):
        out = []
        for norm in norms:
            try:
                out.append(guard.lets_in(norm))
            except ValueError:
                out.append("error")
        return out

    one = SpikeGuard(2.0, settle=4, patience=3)
    asked(one, before)
    two = SpikeGuard(2.0, settle=4, patience=3)
    two.load_state_dict(json.loads(json.dumps(one.state_dict())))
    assert asked(one, after) == asked(two, after)
    assert one.state_dict() == two.state_dict()


def test_a_resumed_guard_knows_how_many_it_skipped_in_a_row():
    one = SpikeGuard(3.0, settle=0, patience=3)
    decisions(one, [1, 9, 9, math.nan])
    two = SpikeGuard(3.0, settle=0, patience=3)
    two.load_state_dict(one.state_dict())
    assert decisions(two, [9, 9]) == [False, True]
    two.load_state_dict(one.state_dict())
    assert decisions(two, [math.nan] * 2) == [False, False]
    with pytest.raises(ValueError, match="norm must be finite"):
        two.lets_in(math.nan)


def test_a_state_that_does_not_fit_changes_nothing():
    guard = SpikeGuard()
    guard.lets_in(2.0)
    good = guard.state_dict()
    for bad, message in [
        ({}, "state must have the names"),
        ({**good, "more": 1}, "state must have the names"),
        ({**good, "average": math.nan}, "average must be a finite number, got nan"),
        ({**good, "average": -1.0}, "average must be >= 0 or None, got -1.0"),
        ({**good, "n_skipped": -1}, "n_skipped must be a whole number >= 0, got -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            guard.load_state_dict(bad)
        assert guard.state_dict() == good


def test_a_tensor_of_one_number_is_a_norm_and_others_are_not(as_shipped):
    guard = SpikeGuard()
    lets_in = as_shipped(SpikeGuard.lets_in)
    assert lets_in(guard, torch.tensor(3.0))
    for bad in ("large", None, torch.ones(2)):
        with pytest.raises(TypeError, match="norm must be one number, got"):
            lets_in(guard, bad)
    with pytest.raises(ValueError, match="norm must be >= 0, got -1.0"):
        guard.lets_in(-1.0)
    assert guard.n_seen == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"factor": 1.0}, "factor must be > 1, got 1.0"),
        ({"factor": math.nan}, "factor must be a finite number, got nan"),
        ({"decay": 1.0}, r"decay must lie in \[0, 1\), got 1.0"),
        ({"settle": -1}, "settle must be a whole number >= 0, got -1"),
        ({"patience": 0}, "patience must be a whole number >= 1, got 0"),
    ],
)
def test_bad_settings_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        SpikeGuard(**change)
