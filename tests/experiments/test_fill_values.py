import math

import pytest
import torch

from course_lib.experiments.fill_values import (
    DTYPES,
    FILLS,
    Filled,
    _in_words,
    empty_row_against_mean,
    fill_table,
    gradient_of_scored,
    masked_scores,
    nan_rows,
    printed_attention,
)
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.masks import causal_mask

LEFT_PADDED = causal_mask(5).clone()
LEFT_PADDED[:, :2] = False  # the rows of the two padding tokens are empty


def outcomes(way, fill):
    return [(r.one_hidden, r.all_hidden) for r in fill_table() if (r.way, r.fill) == (way, fill)]


def test_every_try_is_there_once():
    tries = [(r.way, r.fill, r.dtype) for r in fill_table()]
    assert len(tries) == len(set(tries)) == (2 * len(FILLS) + 2) * len(DTYPES)


@pytest.mark.parametrize(
    ("way", "fill", "one_hidden", "all_hidden"),
    [
        ("replace", "-inf", ["hidden"] * 3, ["NaN"] * 3),
        ("replace", "-1e9", ["hidden"] * 2 + ["error"], ["equal shares"] * 2 + ["error"]),
        ("replace", "lowest", ["hidden"] * 3, ["equal shares"] * 3),
        ("add M", "-inf", ["hidden"] * 3, ["NaN"] * 3),
        ("add", "-inf", ["NaN"] * 3, ["NaN"] * 3),
        ("add", "-1e9", ["hidden"] * 3, ["equal shares"] * 2 + ["NaN"]),
        ("add", "-1e4", ["hidden"] * 3, ["as unmasked"] + ["equal shares"] * 2),
        ("add twice", "lowest", ["hidden"] * 3, ["NaN"] * 3),
    ],
)
def test_the_cells_of_the_table(way, fill, one_hidden, all_hidden):
    assert outcomes(way, fill) == list(zip(one_hidden, all_hidden, strict=True))


def test_the_records_name_what_was_tried():
    first = fill_table()[0]
    assert first == Filled("replace", "-inf", "float32", "hidden", "NaN")
    with pytest.raises(ValueError, match="way must be replace, add M, add or add twice, got 'x'"):
        masked_scores(torch.zeros(2), torch.ones(2, dtype=torch.bool), "x", -1.0)


def test_printed_attention_is_right_where_every_row_can_read():
    x = torch.randn(5, 3)
    expected = scaled_dot_product_attention(x, x, x, causal_mask(5)).z
    torch.testing.assert_close(printed_attention(x, causal_mask(5), -math.inf), expected)


def test_nan_spreads_to_every_position_in_one_layer_more():
    seen = nan_rows(LEFT_PADDED, -math.inf, 3)
    assert seen[0].tolist() == [True, True, False, False, False]
    assert seen[1:].all()
    assert not nan_rows(LEFT_PADDED, -1e9, 3).any()
    assert not nan_rows(causal_mask(5), -math.inf, 3).any()


def test_an_empty_row_spoils_the_gradient_even_when_it_is_not_scored():
    scored = torch.tensor([False, False, True, True, True])
    assert gradient_of_scored(LEFT_PADDED, -math.inf, scored).isnan().all()
    assert gradient_of_scored(LEFT_PADDED, -1e9, scored).isfinite().all()


def test_only_what_is_scored_and_what_it_reads_has_a_gradient():
    scored = torch.tensor([False, True, False, False, False])
    gradient = gradient_of_scored(causal_mask(5), -math.inf, scored)
    assert (gradient[:2] != 0).all() and (gradient[2:] == 0).all()


def test_shares_of_an_empty_row_that_fit_nothing_are_called_other():
    scores, nothing = torch.tensor([1.0, 2.0, 0.0]), torch.zeros(3, dtype=torch.bool)
    assert _in_words(torch.softmax(scores, -1), scores, nothing) == "as unmasked"
    assert _in_words(torch.tensor([0.2, 0.7, 0.1]), scores, nothing) == "other shares"
    assert _in_words(torch.tensor([0.2, 0.7, 0.1]), scores, scores > 1) == "not hidden"


def test_a_fill_of_float16_is_infinite_before_the_product():
    """PyTorch rounds the product with a Python number, not the number; lesson 22 says so."""
    one_hidden, fill = torch.tensor([0.0, 1.0]).half(), torch.tensor(-1e9).half()
    assert (one_hidden * -1e9).tolist() == [0.0, -math.inf]
    assert (one_hidden * fill)[0].isnan()


@pytest.mark.parametrize(
    ("dtype", "at", "step"),
    [("float32", 1e9, 64), ("float32", 1e4, 2**-10), ("bfloat16", 1e4, 64), ("float16", 1e4, 8),
     ("float16", 65472, 32)],
)  # fmt: skip
def test_the_steps_between_numbers_that_lesson_22_names(dtype, at, step):
    here = torch.tensor(at).to(DTYPES[dtype])
    further = torch.tensor(at).to(DTYPES[dtype]) + torch.tensor(step).to(DTYPES[dtype])
    nearer = here.double() + step / 3
    assert further.double() - here.double() == step
    assert nearer.to(DTYPES[dtype]) == here


def test_torchs_own_attention_answers_0_where_nothing_may_be_read():
    """The exercise of lesson 22 asks for the same."""
    q = torch.randn(1, 2, 4)
    nothing = torch.zeros(2, 2, dtype=torch.bool)
    out = torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=nothing)
    assert (out == 0).all()


def test_a_finite_fill_gives_an_empty_row_the_mean_of_everything():
    assert empty_row_against_mean(-1e9) < 1e-6
    assert math.isnan(empty_row_against_mean(-math.inf))
