import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.experiments import entropy_slope as slopes

ROW = torch.tensor([2.0, 1.3, 0.9, -0.3, -1.6], dtype=torch.float64)


@given(st.lists(st.floats(-6, 6), min_size=2, max_size=9), st.floats(0.2, 5.0))
def test_the_formula_is_the_derivative(scores, temperature):
    row = torch.tensor(scores, dtype=torch.float64)
    formula = slopes.entropy_slope(row, temperature)
    assert formula == pytest.approx(slopes.entropy_slope_by_autograd(row, temperature), abs=1e-9)
    h = 1e-5
    rise = slopes.entropy(row, temperature + h) - slopes.entropy(row, temperature - h)
    assert formula == pytest.approx(rise / (2 * h), abs=1e-6)
    assert formula >= 0


def test_entropy_at_both_ends():
    assert slopes.entropy(ROW, 1000.0) == pytest.approx(math.log(5), abs=1e-5)
    assert slopes.entropy(ROW, 0.01) == pytest.approx(0, abs=1e-9)
    assert slopes.entropy(torch.tensor([1.0, -torch.inf]), 1.0) == 0
    assert slopes.entropy(torch.zeros(7), 0.3) == pytest.approx(math.log(7), abs=1e-6)


def test_the_curve_is_what_it_is_made_of():
    curve = slopes.entropy_curve(ROW.float(), 0.1, 10.0, 5)
    assert curve.n_words == 5
    assert curve.temperatures.tolist() == pytest.approx([0.1, 10**-0.5, 1, 10**0.5, 10], rel=1e-6)
    assert curve.entropy[2].item() == pytest.approx(slopes.entropy(ROW, 1.0), abs=1e-6)
    assert curve.slope[2].item() == pytest.approx(slopes.entropy_slope(ROW, 1.0), abs=1e-6)
    assert (curve.entropy.diff() > 0).all()
