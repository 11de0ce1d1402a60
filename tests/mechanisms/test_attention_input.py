"""Bad input to attention: each error names the argument, what arrived and what was required."""

import pytest
import torch

from course_lib.mechanisms.attention import (
    MultiHeadAttention,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from course_lib.mechanisms.rotary import Rotary

Q, K, V = torch.zeros(5, 3), torch.zeros(7, 3), torch.zeros(7, 2)


@pytest.mark.parametrize(
    ("q", "k", "v", "error", "message"),
    [
        (Q, K, V[:6], ValueError, "v must hold one row for each key, got 7 keys and 6 values"),
        (Q[:, :0], K[:, :0], V, ValueError, "got q of width 0 and k of width 0"),
        (Q, K[:0], V[:0], ValueError, "got 0 keys and 0 values"),
        (Q[0], K, V, ValueError, r"q must have at least 2 axes, got \(3,\)"),
        (Q.long(), K, V, TypeError, "q must hold floating-point numbers, got torch.int64"),
        (Q, None, V, TypeError, "k must be a tensor, got NoneType"),
    ],
)
def test_tensors_that_do_not_fit_are_named(q, k, v, error, message, as_shipped):
    with pytest.raises(error, match=message):
        as_shipped(scaled_dot_product_attention)(q, k, v)


@pytest.mark.parametrize(
    ("visible", "error", "message"),
    [
        (torch.ones(7, 5).bool(), ValueError, r"shape \(5, 7\), got shape \(7, 5\)"),
        (torch.ones(2, 5, 7).bool(), ValueError, r"shape \(5, 7\), got shape \(2, 5, 7\)"),
        ([[True]], TypeError, "visible must be a tensor, got list"),
    ],
)
def test_masks_that_do_not_fit_are_named(visible, error, message, as_shipped):
    with pytest.raises(error, match=message):
        as_shipped(scaled_dot_product_attention)(Q, K, V, visible)


def test_a_scale_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match="scale must be a finite number, got nan"):
        scaled_dot_product_attention(Q, K, V, scale=float("nan"))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_heads": 0}, "n_heads must be a whole number >= 1, got 0"),
        ({"n_heads": -2}, "n_heads must be a whole number >= 1, got -2"),
        ({"n_heads": 2, "d_head": 0}, "d_head must be a whole number >= 1, got 0"),
        ({"n_heads": 2, "dropout": 2.0}, r"dropout must lie in \[0, 1\), got 2.0"),
    ],
)
def test_bad_sizes_are_named(sizes, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(8, **sizes)


def test_a_stream_of_another_width_is_named(as_shipped):
    attn, good, bad = MultiHeadAttention(8, 2), torch.zeros(2, 3, 8), torch.zeros(2, 3, 7)
    attend = as_shipped(MultiHeadAttention.attend)
    with pytest.raises(ValueError, match=r"x must be 8 wide, got shape \(2, 3, 7\)"):
        attend(attn, bad)
    with pytest.raises(ValueError, match="source must be 8 wide"):
        attend(attn, good, None, bad)


def test_heads_that_do_not_divide_the_width_are_named():
    with pytest.raises(ValueError, match="n_heads must divide the width of x, got n_heads=2, .* 7"):
        split_heads(torch.zeros(3, 7), 2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MultiHeadAttention(8, 2, rotary=True), TypeError,
         "rotary must be a Rotary or None, got True"),
        (lambda: MultiHeadAttention(8, 2)(torch.zeros(3, 8), True), TypeError,
         "visible must be a tensor, got bool"),
        (lambda: MultiHeadAttention(8, 2, rotary=Rotary())(
            torch.zeros(3, 8), position_ids=torch.zeros(2, 3).int()), ValueError,
         r"position_ids must hold.*shape \(3,\), got"),
        (lambda: merge_heads(torch.zeros(3, 8)), ValueError,
         "z must have at least 3 axes"),
        (lambda: scaled_dot_product_attention(*torch.zeros(3, 2, 4), dropout=1.0),
         ValueError, r"dropout must lie in \[0, 1\), got 1.0"),
    ],
)  # fmt: skip
def test_what_would_fail_later_or_silently_is_named(call, error, message, unchecked):
    with pytest.raises(error, match=message):
        call()
