import math

import pytest
import torch

from course_lib.experiments.norm_variants import (
    equal_rows,
    gradient_at_a_constant_row,
    in_format,
    norm_variant,
    plain_layer_norm,
)
from course_lib.mechanisms.norms import layer_norm


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.3])
def test_inside_biased_last_axis_is_the_library_s(eps):
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    gain, shift = torch.randn(2, 5, dtype=torch.float64)
    torch.testing.assert_close(
        plain_layer_norm(x, gain, shift, eps), layer_norm(x, gain, shift, eps)
    )
    torch.testing.assert_close(norm_variant(x, eps), layer_norm(x, eps=eps))


@pytest.mark.parametrize("seed", range(8))
def test_in_float32_bert_s_eps_is_below_the_rounding_of_the_mean(seed):
    rows = equal_rows(seed=seed)
    assert rows.dtype == torch.float32 and (rows == rows[:, :1]).all() and rows.max() > 9
    assert plain_layer_norm(rows).abs().max() < 0.01
    assert plain_layer_norm(rows, eps=1e-12).abs().max() > 0.3
    assert layer_norm(rows, eps=1e-12).abs().max() == 0


def test_outside_the_root_and_the_unbiased_variance_differ_as_they_should():
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    centred, spread = x - x.mean(-1, keepdim=True), x.std(-1, keepdim=True, correction=0)
    outside = norm_variant(x, 0.3, place="outside")
    torch.testing.assert_close(outside, centred / (spread + 0.3))
    unbiased = norm_variant(x, 0.0, correction=1)
    torch.testing.assert_close(unbiased, norm_variant(x, 0.0) * math.sqrt(4 / 5))


def test_several_axes_share_one_mean_and_variance():
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    wanted = torch.nn.functional.layer_norm(x, (3, 5), eps=0.1)
    torch.testing.assert_close(norm_variant(x, 0.1, axes=(-2, -1)), wanted)


def test_float16_loses_bert_s_eps_and_the_square_of_a_long_row():
    half = in_format(torch.float16, 1e-12)
    assert half.eps_kept == 0 and math.isnan(half.constant) and half.long == 0
    assert in_format(torch.float16, 1e-5).constant == 0
    for dtype in (torch.bfloat16, torch.float32):
        found = in_format(dtype, 1e-12)
        assert found.eps_kept > 0 and found.constant == 0 and found.long == pytest.approx(1)


def test_at_a_constant_row_the_gradient_is_finite_only_with_eps_inside():
    wanted = (torch.eye(4)[0] - 0.25).double() / math.sqrt(1e-4)
    torch.testing.assert_close(gradient_at_a_constant_row("inside", 1e-4), wanted)
    assert gradient_at_a_constant_row("outside").isnan().all()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="place must be one of"):
        norm_variant(torch.zeros(3), 1e-5, place="below")
