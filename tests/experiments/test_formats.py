import math

import numpy as np
import pytest
import torch

from course_lib.experiments.formats import FORMATS, gap_at, ranges, round_to, stored


def test_ranges_are_the_published_ones():
    found = ranges()
    assert found["fp16"].largest == 65504 and found["fp16"].smallest == 2.0**-24
    assert found["bf16"].largest == pytest.approx(3.39e38, rel=1e-3)
    assert found["bf16"].smallest == 2.0**-133 and found["fp32"].smallest == 2.0**-149
    assert found["bf16"].full == found["fp32"].full == 2.0**-126


def test_rounding_at_the_top_of_fp16():
    kept = [round_to(value, torch.float16) for value in (65519.0, 65520.0, 70000.0)]
    assert kept == [65504, math.inf, math.inf]
    assert round_to(70000.0, torch.bfloat16) == 70144


@pytest.mark.parametrize("value", [1.0, 3.0, 1000.0, 1e-3, 2e-6, 1e-7])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_the_gap_is_where_the_next_number_is(value, dtype):
    kept = torch.tensor(value, dtype=dtype)
    if kept == 0:
        return
    bits = kept.view(torch.int32 if dtype == torch.float32 else torch.int16)
    after = (bits + 1).view(dtype).double() - kept.double()
    assert gap_at(kept.item(), dtype) == after.item()


@pytest.mark.parametrize("exponent", [-7.0, -4.5, 0.25, 2.5, 4.75, 4.8, 5.0, 38.5, 39.0])
def test_neighbours_are_numbers_of_the_format_nearby(exponent):
    found = stored(exponent)
    for name, near in found.neighbours.items():
        if near is None:
            continue
        near = np.array(near)
        numbers = found.value * (1 + near)
        again = [round_to(number, FORMATS[name]) for number in numbers]
        assert numbers.tolist() == pytest.approx(again, rel=1e-6)
        assert (abs(near) <= 0.0201).all()
        if len(near) and math.isfinite(found.stored[name]):
            closest = numbers[np.argmin(abs(near))]
            assert closest == pytest.approx(found.stored[name], rel=1e-6)


def test_bf16_has_a_coarser_comb_than_fp16_and_fp32_none_to_see():
    near = stored(2.5).neighbours
    assert len(near["fp16"]) > 4 * len(near["bf16"]) > 0 and near["fp32"] is None


def test_bad_input_is_named(as_shipped):
    with pytest.raises(TypeError, match="exponent must be a number, got 'two'"):
        as_shipped(stored)("two")
