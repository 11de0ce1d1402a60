"""Answers to lesson 22 as learners write them, beyond the mistakes that each exercise lists."""

import math

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_22 import (
    broken_masked_softmax,
    causal_with_padding,
    farthest_back,
    masked_softmax,
)
from course_lib.experiments.who_knows import reachable
from course_lib.mechanisms.masks import (
    barrier,
    causal_mask,
    combine,
    padding_mask,
    window_mask,
)
from course_lib.mechanisms.softmax import softmax


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


@pytest.mark.parametrize("kind", [torch.tensor, np.int64, np.int32, float, int])
def test_a_count_may_be_any_kind_of_number(kind):
    assert farthest_back.judge(lambda w, n, p: kind(min(n * (w - 1), p))).passed
    wrong = farthest_back.judge(lambda w, n, p: kind(n * (w - 1)))
    assert wrong.mistake == "beyond the start of the text"


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (lambda w, n, p: min(w**n, p), "a power"),
        (lambda w, n, p: min((w - 1) ** n, p), "a power of the steps"),
        (lambda w, n, p: min(w**n - 1, p), "a power, less itself"),
        (lambda w, n, p: min(w - 1 + n - 1, p), "one step for each further layer"),
        (lambda w, n, p: p - min(p, n * (w - 1)), "a position in place of a distance"),
        (lambda w, n, p: min(w, p), "the window alone"),
        (lambda w, n, p: min(n * (w - 1), p + 1), "one too many at the start of the text"),
        (lambda w, n, p: min(n * (w - 1) + 1, p), "counts itself in the answer"),
    ],
)
def test_how_far_back_as_learners_get_it_wrong(answer, mistake):
    assert farthest_back.judge(answer).mistake == mistake


def parts(real):
    n = real.shape[1]
    causal, itself = torch.ones(n, n, dtype=torch.bool).tril(), torch.eye(n, dtype=torch.bool)
    return causal[None, None], itself, real[:, None, None, :], real[:, None, :, None]


def only_empty_rows(real):
    causal, itself, key, _ = parts(real)
    mask = causal & key
    return mask | (~mask.any(-1, keepdim=True) & itself)


def first_key(real):
    causal, _, key, _ = parts(real)
    mask = causal & key
    mask[..., 0] |= ~mask.any(-1)
    return mask


def rows_opened(real):
    causal, _, key, query = parts(real)
    return (causal & key).masked_fill(~query, True)


def no_future_hidden(real):
    _, _, key, query = parts(real)
    return query & key


def both_padding(real):
    causal, _, key, query = parts(real)
    return (causal & key) | (~key & ~query)


def as_multihead_wants_it(real):
    causal, _, key, _ = parts(real)
    return torch.ones_like(causal).triu(1) | ~key


def keys_inverted(real):
    causal, _, key, _ = parts(real)
    return causal & ~key


def floats(real):
    n = real.shape[1]
    return torch.tril(torch.ones(n, n)) & padding_mask(real)


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (only_empty_rows, "only empty rows read themselves"),
        (first_key, "empty rows read the first key"),
        (rows_opened, "padding reads everything"),
        (no_future_hidden, "real with real, future open"),
        (both_padding, "padding reads all padding"),
        (as_multihead_wants_it, "inverted, with no row opened"),
        (keys_inverted, "real inverted"),
        (floats, "a triangle of floats"),
    ],
)
def test_two_masks_as_learners_get_them_wrong(answer, mistake):
    assert causal_with_padding.judge(answer).mistake == mistake


def test_the_evidence_beside_empty_rows_is_an_empty_row():
    outcome = causal_with_padding.judge(
        lambda real: causal_mask(real.shape[1]) & padding_mask(real)
    )
    assert outcome.mistake == "empty rows"
    assert "[0, 0, 0, 0] is 0, expected 1" in outcome.details
    assert "`real` is ..xxx / .xxxx (x is a token, a dot is padding)" in outcome.details


def nan_to_num(scores, visible):
    return torch.softmax(scores.masked_fill(~visible, -torch.inf), -1).nan_to_num()


def in_float32(scores, visible):
    shares = torch.softmax(scores.float().masked_fill(~visible, -1e9), -1)
    return (shares * visible).to(scores.dtype)


def no_row_empty(scores, visible):
    some = visible.any(-1, keepdim=True)
    opened = scores.masked_fill(~visible & some, -torch.inf)
    return torch.softmax(opened, -1).masked_fill(~some, 0)


def from_the_library(scores, visible):
    some = visible.any(-1, keepdim=True)
    return softmax(scores + barrier(visible | ~some, scores.dtype)) * some * visible


def written_out(scores, visible):
    lowest = torch.finfo(scores.dtype).min
    kept = scores.masked_fill(~visible, lowest)
    e = torch.exp(kept - kept.amax(-1, keepdim=True)) * visible
    return e / e.sum(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


def where_where(scores, visible):
    shares = torch.where(visible, scores, -math.inf).softmax(-1)
    return torch.where(visible, shares, 0.0)


RIGHT = [nan_to_num, in_float32, no_row_empty, from_the_library, written_out, where_where]


@pytest.mark.parametrize("right", RIGHT)
def test_other_repairs_pass(right):
    assert masked_softmax.judge(right).passed


def test_a_right_answer_outside_pytorch_passes():
    def in_numpy(scores, visible):
        return torch.tensor(written_out(scores, visible).detach().float().numpy()).to(scores.dtype)

    def by_numpy_alone(scores, visible):
        return torch.tensor(written_out(scores, visible).float().numpy()).to(scores.dtype)

    assert masked_softmax.judge(in_numpy).passed and masked_softmax.judge(by_numpy_alone).passed


def m_added(scores, visible):
    M = torch.zeros(visible.shape).to(scores.dtype).masked_fill(~visible, -math.inf)
    return torch.softmax(scores + M, -1).nan_to_num()


def log_added(scores, visible):
    return torch.softmax(scores + visible.to(scores.dtype).log(), -1).nan_to_num()


def set_to_0(scores, visible):
    shares = torch.softmax(scores.masked_fill(~visible, torch.finfo(scores.dtype).min), -1)
    shares[~visible.expand(shares.shape)] = 0
    return shares


def put(scores, visible, fill):
    return scores.masked_fill(~visible, fill).softmax(-1)


def exponentials(scores, visible, less=0.0):
    e = (scores - less).exp() * visible
    return (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)


def shared_anew(scores, visible, floor):
    shares = scores.softmax(-1) * visible
    return shares / shares.sum(-1, keepdim=True).clamp(min=floor)


lowest = lambda scores: torch.finfo(scores.dtype).min  # noqa: E731


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (m_added, "right values, NaN in the gradient"),
        (log_added, "right values, NaN in the gradient"),
        (set_to_0, "the result of softmax is written into"),
        (lambda s, v: (s + (~v) * -1e9).softmax(-1), "the dtype is lost"),
        (lambda s, v: (s + (1 - v.float()) * -1e9).softmax(-1), "the dtype is lost"),
        (lambda s, v: put(s.float(), v, -1e9) * v, "the dtype is lost"),
        (lambda s, v: (s + (1 - v.to(s.dtype)) * -1e9).softmax(-1), "-1e9 that became -inf"),
        (
            lambda s, v: (s + (1 - v.to(s.dtype)) * -1e9).softmax(-1) * v,
            "-1e9 that became -inf, times visible",
        ),
        (lambda s, v: (s + (1 - v.to(s.dtype)) * -1e4).softmax(-1) * v, "-10000 added"),
        (
            lambda s, v: put(s, v, -math.inf).nan_to_num(nan=1 / s.shape[-1]),
            "lowest number, empty rows read everything",
        ),
        (lambda s, v: put(s, v, lowest(s)) * v.any(), "lowest number, empty rows read everything"),
        (
            lambda s, v: put(s, v, lowest(s)).masked_fill(~v.all(-1, keepdim=True), 0),
            "every row with a hidden key emptied",
        ),
        (lambda s, v: put(s, v, -65504) * v, "-65504 in every dtype"),
        (lambda s, v: put(s, v, torch.finfo(torch.float16).min) * v, "-65504 in every dtype"),
        (lambda s, v: put(s, v, -1e4 if s.dtype == torch.half else -1e9) * v, "-10000 in float16"),
        (lambda s, v: (s + (~v) * -math.inf).softmax(-1), "-inf times the mask"),
        (lambda s, v: put(s, v, -math.inf) * v, "-inf, empty rows are NaN"),
        (lambda s, v: put(s, v, -1e9) * v, "still -1e9, empty rows right"),
        (
            lambda s, v: put(s, v, torch.finfo(torch.float32).min) * v,
            "the lowest number of float32, empty rows right",
        ),
        (
            lambda s, v: torch.where(v, s, -1e9).softmax(-1) * v,
            "-1e9 that became -inf, times visible",
        ),
        (lambda s, v: (s * v).softmax(-1) * v, "hidden with 0, before and after"),
        (lambda s, v: shared_anew(s, v, 1e-9), "renormalised, with 1e-9"),
        (lambda s, v: shared_anew(s, v, 1e-6), "renormalised, empty rows right"),
        (lambda s, v: exponentials(s, v), "exponentials of the scores as they are"),
        (lambda s, v: exponentials(s, v, s.amax(-1, keepdim=True)),
         "renormalised, empty rows right"),
        (
            lambda s, v: exponentials(s, v, s.masked_fill(~v, lowest(s)).max()),
            "one largest score for all rows",
        ),
        (lambda s, v: put(s, ~v, -1e9), "mask inverted, -1e9"),
        (lambda s, v: put(s, ~v, lowest(s)) * v, "filled where visible, emptied where hidden"),
    ],
)  # fmt: skip
def test_repairs_as_learners_get_them_wrong(answer, mistake):
    assert masked_softmax.judge(answer).mistake == mistake


def test_a_fill_that_no_mistake_lists_is_shown_where_it_fails():
    outcome = masked_softmax.judge(lambda s, v: put(s, v, -1 / torch.finfo(s.dtype).eps) * v)
    assert outcome.kind == "failed" and "float16; scores near -20000" in outcome.details


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
