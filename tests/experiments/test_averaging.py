"""The more tokens attention averages, the less gradient V and O of the first block get."""

import pytest
import torch

from course_lib.experiments.averaging import averaging_flow
from course_lib.experiments.gradient_flow import Stack, gradient_flow

STACK = Stack("Post-LN", "normal", depth=6, width=64)


def kept(length, alone=False):
    return averaging_flow(STACK, length, alone=alone).bottom_over_top("V")


def test_longer_texts_keep_less_and_lonely_tokens_keep_all():
    assert kept(128) < kept(32) < kept(4)
    assert kept(32, alone=True) == pytest.approx(1, abs=0.15) and kept(32) < 0.8


def test_32_tokens_are_the_ordinary_stack():
    flow = averaging_flow(STACK, 32, seed=2)
    assert torch.equal(flow.weights, gradient_flow(STACK, seed=2).weights)
    assert flow.positions.shape == (7, 32)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="length must divide 128, got 5"):
        averaging_flow(STACK, 5)
