import pytest

from course_lib.experiments.head_split import beside_one_head, measure_split, split_width


@pytest.mark.parametrize("n_heads", [1, 3, 12])
def test_what_is_worked_out_is_what_pytorch_counts(n_heads):
    assert split_width(n_heads, 12, 5) == measure_split(n_heads, 12, 5)


def test_heads_of_any_width_are_counted_right():
    assert split_width(3, 8, 5, d_head=7) == measure_split(3, 8, 5, d_head=7)


def test_only_the_maps_grow_with_the_number_of_heads():
    one, eight = split_width(1), split_width(8)
    assert (one.parameters, one.operations) == (eight.parameters, eight.operations)
    assert eight.probabilities == 8 * one.probabilities and eight.d_head * 8 == one.d_head
    assert one.parameters == 4 * (64 * 64 + 64)


def test_full_width_heads_cost_in_proportion():
    one, eight = split_width(1), split_width(8, d_head=64)
    assert eight.operations == 8 * one.operations
    assert eight.parameters - 64 == 8 * (one.parameters - 64)  # out_proj's bias is there once


def test_one_head_stands_beside():
    assert beside_one_head(4) == (split_width(4), split_width(1))
    assert beside_one_head(4, full_width=True)[0].d_head == 64


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="n_heads must divide d_model=64, got 5"):
        split_width(5)
    with pytest.raises(ValueError, match="seq_len must be a whole number >= 1, got 0"):
        measure_split(2, seq_len=0)
    with pytest.raises(ValueError, match="d_head must be a whole number >= 1, got 0"):
        split_width(2, d_head=0)
