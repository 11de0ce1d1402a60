import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.mechanisms.masks import (
    barrier,
    causal_mask,
    combine,
    padding_mask,
    prefix_mask,
    require_left_padding,
    window_mask,
)

REAL = torch.tensor([[True, True, False, False], [False, True, True, True]])


def test_each_position_reads_itself_and_the_past():
    visible = causal_mask(5)
    assert all(bool(visible[i, j]) == (j <= i) for i in range(5) for j in range(5))


def test_fewer_queries_are_the_last_ones():
    assert torch.equal(causal_mask(2, 5), causal_mask(5)[-2:])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((4, 3), "n_query must lie between 1 and n_key, got n_query=4, n_key=3"),
        ((0, 3), "n_query must be a whole number >= 1, got 0"),
        ((-1, None), "n_query must be a whole number >= 1, got -1"),
    ],
)
def test_impossible_sizes_are_named(sizes, message):
    with pytest.raises(ValueError, match=message):
        causal_mask(*sizes)


def test_barrier_is_zero_where_visible_and_minus_infinity_elsewhere():
    visible = causal_mask(3, 4)
    wall = barrier(visible, torch.float64)
    assert wall.dtype == torch.float64
    assert (wall[visible] == 0).all() and (wall[~visible] == -torch.inf).all()


def test_a_row_that_may_see_nothing_is_an_error():
    visible = causal_mask(3).clone()
    visible[1] = False
    with pytest.raises(ValueError, match="visible must leave each query at least one key"):
        barrier(visible)


@pytest.mark.parametrize("mask", [torch.ones(2, 2), torch.ones(2, 2, dtype=torch.uint8)])
def test_a_mask_that_is_not_bool_is_named(mask, as_shipped):
    with pytest.raises(TypeError, match="visible must be bool, True where a key may be read, got"):
        as_shipped(barrier)(mask)


@given(st.integers(1, 7), st.integers(0, 7), st.integers(1, 9))
def test_prefix_and_window_by_their_definition(seq_len, n_prefix, window):
    n_prefix = min(n_prefix, seq_len)
    prefix, near = prefix_mask(seq_len, n_prefix), window_mask(seq_len, window)
    for i in range(seq_len):
        for j in range(seq_len):
            assert bool(prefix[i, j]) == (j <= i or j < n_prefix)
            assert bool(near[i, j]) == (i - window < j <= i)


def test_padding_is_hidden_from_every_query_and_head():
    mask = padding_mask(REAL)
    assert mask.shape == (2, 1, 1, 4)
    assert torch.equal(mask.expand(2, 3, 4, 4)[:, 1, 2], REAL)


@given(st.lists(st.booleans(), min_size=1, max_size=7).filter(any))
def test_both_must_allow_it_and_padding_also_reads_itself(flags):
    real, n = torch.tensor([flags, flags[::-1]]), len(flags)
    visible = combine(causal_mask(n), padding_mask(real))
    assert visible.shape == (2, 1, n, n) and visible.any(dim=-1).all()
    for text in range(2):
        for i in range(n):
            for j in range(n):
                allowed = j <= i and bool(real[text, j])
                itself = i == j and not real[text, i]
                assert bool(visible[text, 0, i, j]) == (allowed or itself)


def test_a_real_query_reads_itself_only_where_its_mask_says_so():
    strictly_past = causal_mask(4).tril(-1)
    visible = combine(strictly_past, padding_mask(REAL))
    assert visible[0, 0].diagonal().tolist() == [False, False, True, True]


def test_the_queries_are_the_last_of_the_keys():
    whole = combine(causal_mask(4), padding_mask(REAL))
    assert torch.equal(combine(causal_mask(2, 4), padding_mask(REAL)), whole[:, :, -2:])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda ship: ship(prefix_mask)(3, 4), ValueError, "n_prefix must be <= seq_len=3, got 4"),
        (
            lambda ship: ship(prefix_mask)(3, -1),
            ValueError,
            "n_prefix must be a whole number >= 0, got -1",
        ),
        (
            lambda ship: ship(window_mask)(3, 0),
            ValueError,
            "window must be a whole number >= 1, got 0",
        ),
        (lambda ship: ship(padding_mask)(REAL.int()), TypeError, "real must be bool"),
        (
            lambda ship: ship(padding_mask)(REAL[0]),
            ValueError,
            r"real must have shape \(batch, seq\), got",
        ),
        (
            lambda ship: ship(padding_mask)(~torch.tensor([[True], [False]])),
            ValueError,
            "a text with none",
        ),
        (
            lambda ship: ship(combine)(causal_mask(3), padding_mask(REAL)),
            ValueError,
            r"\(batch, 1, 1, 3\)",
        ),
        (lambda ship: ship(combine)(causal_mask(4), REAL), ValueError, "as padding_mask gives it"),
        (
            lambda ship: ship(combine)(causal_mask(4).float(), REAL),
            TypeError,
            "visible must be bool",
        ),
        (
            lambda ship: ship(combine)(causal_mask(4).mT[:, :2], REAL),
            ValueError,
            "no more queries than keys",
        ),
    ],
)
def test_bad_masks_are_named(call, error, message, as_shipped):
    with pytest.raises(error, match=message):
        call(as_shipped)


def test_padding_behind_a_text_is_named_where_it_must_be_on_the_left():
    require_left_padding(torch.tensor([[False, False, True], [True, True, True]]))
    for row in ([True, False, True], [True, True, False]):
        with pytest.raises(ValueError, match="padding on the left"):
            require_left_padding(torch.tensor([[True] * 3, row]))
