import math

import pytest
import torch

from course_lib.experiments.gelu_forms import (
    grid,
    largest,
    largest_error,
    normal_cdf,
    normal_density,
    slope,
    smallest,
)
from course_lib.mechanisms.activations import gelu, gelu_sigmoid, gelu_tanh


def test_errors_of_the_two_short_forms():
    tanh, sigmoid = (largest_error(form, gelu) for form in (gelu_tanh, gelu_sigmoid))
    assert tanh.value == pytest.approx(4.732e-4, abs=1e-7)
    assert abs(tanh.at) == pytest.approx(2.699, abs=1e-3)  # the error is the same on both sides
    assert sigmoid.value == pytest.approx(2.033e-2, abs=1e-5)
    assert abs(sigmoid.at) == pytest.approx(2.270, abs=1e-3)
    assert largest_error(gelu, gelu).value == 0


def test_where_gelu_turns():
    lowest = smallest(gelu)
    assert (lowest.value, lowest.at) == pytest.approx((-0.169971, -0.7518), abs=1e-4)
    steepest, backwards = (f(lambda x: slope(gelu, x)) for f in (largest, smallest))
    bend = math.sqrt(2)  # the curvature phi(x) (2 - x^2) is 0 there
    assert (steepest.value, steepest.at) == pytest.approx((1.128904, bend), abs=1e-4)
    assert (backwards.value, backwards.at) == pytest.approx((-0.128904, -bend), abs=1e-4)


def test_phi_is_that_of_torch_and_its_slope_is_the_density():
    x = grid(-5, 5)[::500]
    torch.testing.assert_close(normal_cdf(x), torch.special.ndtr(x))
    torch.testing.assert_close(slope(normal_cdf, x), normal_density(x))


def test_slope_leaves_its_input_alone():
    x = torch.tensor([1.0, -2.0, 0.5])
    torch.testing.assert_close(slope(torch.square, x), 2 * x)
    assert not x.requires_grad and x.grad is None


def test_both_ends_are_looked_at():
    assert largest(lambda x: x, -1, 2).at == 2 and smallest(lambda x: x, -1, 2).at == -1
    with pytest.raises(ValueError, match="lo must be below hi, got lo=1, hi=1"):
        grid(1, 1)
