"""Answers to lesson 22 as learners write them, beyond the mistakes that each exercise lists."""

import pytest
import torch

from course_lib.checks.lesson_22 import (
    broken_masked_softmax,
    causal_with_padding,
    farthest_back,
    masked_softmax,
)
from course_lib.experiments.who_knows import reachable
from course_lib.mechanisms.masks import causal_mask, combine, padding_mask, window_mask


def by_loops(real):
    batch, n = real.shape
    mask = torch.zeros(batch, 1, n, n, dtype=torch.bool)
    for b in range(batch):
        for i in range(n):
            for j in range(i + 1):
                mask[b, 0, i, j] = real[b, j] or i == j
    return mask


def test_the_librarys_own_combination_passes():
    answer = causal_with_padding.judge(
        lambda real: combine(causal_mask(real.shape[1]), padding_mask(real))
    )
    assert answer.passed


def diagonal_for_all(real):
    return combine(causal_mask(real.shape[1]), padding_mask(real)) | torch.eye(
        real.shape[1], dtype=torch.bool
    )


@pytest.mark.parametrize("right", [by_loops, diagonal_for_all])
def test_other_ways_to_combine_pass(right):
    assert causal_with_padding.judge(right).passed


def test_whole_numbers_are_not_a_mask():
    outcome = causal_with_padding.judge(lambda real: by_loops(real).long())
    assert outcome.kind == "failed" and "dtype torch.int64 came out" in outcome.message


def test_a_window_reaches_what_the_stack_of_masks_reaches():
    def walked(window, n_layers, position):
        row = reachable(window_mask(position + 1, window), n_layers)[position]
        return int(row.sum()) - 1

    assert farthest_back.judge(walked).passed
    with_start = lambda window, n_layers, position: min(n_layers * window, position)  # noqa: E731
    assert farthest_back.judge(with_start).mistake == "own position counted in every layer"


def nan_to_num(scores, visible):
    return torch.softmax(scores.masked_fill(~visible, -torch.inf), -1).nan_to_num()


def in_float32(scores, visible):
    shares = torch.softmax(scores.float().masked_fill(~visible, -1e9), -1)
    return (shares * visible).to(scores.dtype)


def no_row_empty(scores, visible):
    some = visible.any(-1, keepdim=True)
    opened = scores.masked_fill(~visible & some, -torch.inf)
    return torch.softmax(opened, -1).masked_fill(~some, 0)


@pytest.mark.parametrize("right", [nan_to_num, in_float32, no_row_empty])
def test_other_repairs_pass(right):
    assert masked_softmax.judge(right).passed


def test_a_repair_that_leaves_the_dtype_is_told_so():
    def left(scores, visible):
        return torch.softmax(scores.float().masked_fill(~visible, -1e9), -1) * visible

    outcome = masked_softmax.judge(left)
    assert outcome.kind == "failed" and "dtype torch.float32 came out" in outcome.message


def test_the_printed_function_does_what_its_lesson_says():
    scores, nothing = torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.zeros(1, 4, dtype=torch.bool)
    assert broken_masked_softmax(scores, nothing).tolist() == [[0.25] * 4]
    with pytest.raises(RuntimeError, match="without overflow"):
        broken_masked_softmax(scores.half(), nothing)


@pytest.mark.parametrize("answer", [masked_softmax.reference, nan_to_num])
def test_an_empty_row_leaves_the_gradient_clean(answer):
    visible = torch.tensor([[False, False, False], [True, False, True]])
    scores, values = torch.randn(2, 3, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    (answer(scores, visible) @ values)[1].square().sum().backward()
    assert scores.grad.isfinite().all() and values.grad.isfinite().all()
