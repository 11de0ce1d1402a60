import pytest
import torch

from course_lib.experiments.gates import draw_gate, gated, gated_layers
from course_lib.experiments.gelu_forms import normal_cdf
from course_lib.mechanisms.activations import gelu

POINTS = (-1.5, -0.5, 0.5, 1.5)


@pytest.mark.parametrize("x", POINTS)
def test_the_average_of_the_gate_is_gelu_and_the_others_are_not(x):
    wanted = gelu(torch.tensor(x).double()).item()
    runs = {g: gated(x, g, 100_000) for g in ("keep if Z <= x", "keep half", "multiply by Z")}
    far = {g: abs(run.mean - wanted) / run.standard_error for g, run in runs.items()}
    assert far["keep if Z <= x"] < 5 < 20 < min(far["keep half"], far["multiply by Z"])
    assert abs(runs["multiply by Z"].mean) < 5 * runs["multiply by Z"].standard_error


@pytest.mark.parametrize("x", POINTS)
def test_variances(x):
    p = normal_cdf(torch.tensor(x).double()).item()
    assert gated(x, "keep if Z <= x").variance == pytest.approx(x**2 * p * (1 - p), rel=0.02)
    assert gated(x, "multiply by Z").variance == pytest.approx(x**2, rel=0.02)


def test_a_gate_is_open_or_shut_and_opens_with_x():
    x = torch.tensor([-3.0, 0.0, 3.0]).double().expand(2000, -1)
    factors = draw_gate("keep if Z <= x", x, torch.Generator().manual_seed(0))
    assert set(factors.unique().tolist()) == {0.0, 1.0}
    low, middle, high = factors.mean(0)
    assert low < 0.02 < 0.45 < middle < 0.55 < 0.98 < high


def test_one_layer_averages_to_gelu_and_two_do_not():
    for layers, far in ((1, False), (2, True)):
        mean, error, fixed = gated_layers(layers, 20_000)
        assert mean.shape == error.shape == fixed.shape == (16,)
        assert (((mean - fixed) / error).abs().max() > 8) == far
        assert ((mean - fixed) / error).abs().max() > 0


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="gate must be one of .*, got 'relu'"):
        gated(1.0, "relu")
    with pytest.raises(ValueError, match="n_draws must be a whole number >= 2, got 1"):
        gated(1.0, "keep half", n_draws=1)
