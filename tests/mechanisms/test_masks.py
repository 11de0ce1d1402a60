import pytest
import torch

from course_lib.mechanisms.masks import barrier, causal_mask


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
