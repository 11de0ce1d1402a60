import pytest
import torch

from course_lib.experiments.dead_units import (
    FUNCTIONS,
    N_POSITIONS,
    N_UNITS,
    bend,
    dead_share,
    half_dead,
    straight_share,
    train_shifted,
    unit_inputs,
)


def test_inputs_have_the_spread_and_the_shift():
    x = unit_inputs(2.0, -3.0)
    assert x.shape == (N_POSITIONS, N_UNITS)
    assert x.mean().item() == pytest.approx(-3, abs=0.05)
    assert x.std().item() == pytest.approx(2, rel=0.03)


def test_relu_is_dead_where_all_inputs_are_negative():
    for shift in (-1.0, -2.0, -3.0):
        all_negative = (unit_inputs(1.0, shift) < 0).all(0).double().mean().item()
        assert dead_share("ReLU", 1.0, shift) == all_negative
        assert dead_share("ReLU", 1.0, shift, flat=1e-9) == all_negative


def test_gelu_dies_too_only_further_out():
    assert dead_share("ReLU", 1.0, -4.0) > 0.95 and dead_share("GELU", 1.0, -4.0) == 0
    assert dead_share("GELU", 1.0, -8.0) > 0.95
    assert dead_share("SiLU", 1.0, -8.0) < 0.2


def test_scale_bends_gelu_and_leaves_relu_alone():
    relu = [straight_share("ReLU", s) for s in (0.1, 1.0, 5.0)]
    assert max(relu) - min(relu) < 1e-9 and relu[0] == pytest.approx(0.733, abs=0.01)
    assert straight_share("GELU", 0.1) > 0.97
    assert straight_share("GELU", 50.0) == pytest.approx(relu[0], abs=0.003)


def test_a_dead_relu_stays_dead_and_adam_wakes_a_gelu():
    relu = train_shifted("ReLU", "Adam", -6.0, n_steps=100)
    assert relu.before == relu.after == 1
    adam = train_shifted("GELU", "Adam", -6.0, n_steps=200)
    assert adam.before > 0.5 and adam.after < 0.1 and adam.loss < 0.1
    sgd = train_shifted("GELU", "SGD", -6.0, n_steps=200, lr=0.1)
    assert sgd.before > 0.5 and sgd.after > 0.5 and sgd.loss > 2


def test_a_run_that_diverged_counts_no_units():
    # NaN is below no threshold, so all units would count as alive.
    with pytest.raises(ValueError, match="lr must be smaller: with lr=3.0 the loss is"):
        train_shifted("GELU", "SGD", -6.0, n_steps=200, lr=3.0)


def test_gelu_holds_out_longer_in_units_of_x_and_not_of_the_spread():
    for spread in (0.25, 1.0, 4.0):
        relu, gelu = half_dead("ReLU", spread), half_dead("GELU", spread)
        assert relu - gelu == pytest.approx(3.06, abs=0.05)
        assert relu / spread == pytest.approx(-2.34, abs=0.01)
        assert (
            dead_share("GELU", spread, gelu - 0.01) >= 0.5 > dead_share("GELU", spread, gelu + 0.01)
        )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("spread", [0.1, 4.0])
@pytest.mark.parametrize("shift", [-8.0, 2.0])
def test_the_widget_s_corners(name, spread, shift):
    data = bend(name, spread, shift)
    assert data.x.shape == data.y.shape == data.slope.shape
    numbers = torch.tensor([*data.dead.values(), *data.straight.values()])
    assert ((numbers >= 0) & (numbers <= 1 + 1e-9)).all()
    torch.testing.assert_close(data.y, FUNCTIONS[name](data.x))
    # The slope is that of the curve.
    steps = (data.y[2:] - data.y[:-2]) / (data.x[2:] - data.x[:-2])
    assert (steps - data.slope[1:-1]).abs().max() < (0.51 if name == "ReLU" else 1e-3)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="name must be one of .*, got 'tanh'"):
        bend("tanh", 1.0, 0.0)
    with pytest.raises(ValueError, match="spread must be > 0, got 0.0"):
        unit_inputs(0.0, 1.0)
    with pytest.raises(ValueError, match='optimiser must be "SGD" or "Adam"'):
        train_shifted("ReLU", "Lion", -3.0)


def test_a_smaller_constant_lets_adam_use_smaller_slopes():
    usual, smaller = (train_shifted("GELU", "Adam", -10.0, eps=eps).after for eps in (1e-8, 1e-15))
    assert smaller < 0.8 < 0.95 < usual
