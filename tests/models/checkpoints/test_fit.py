"""All mismatches are listed in one message, each name once."""

import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.models.checkpoints import Misfit, as_gpt2, load_gpt2
from course_lib.models.checkpoints.fit import listed
from course_lib.models.gpt import GPT

SHAPE = dict(vocab_size=37, max_seq_len=11, d_model=12, n_heads=4)


def gpt(n_layers=3, **changes):
    return GPT(GPTConfig(**{**SHAPE, "n_layers": n_layers, **changes}))


def misfit(model, tensors):
    with pytest.raises(Misfit) as caught:
        load_gpt2(model, tensors)
    return caught.value


def test_three_kinds_at_once():
    tensors = as_gpt2(gpt())
    del tensors["transformer.h.1.mlp.c_fc.bias"], tensors["transformer.ln_f.weight"]
    tensors["score.weight"] = torch.zeros(2, 12)
    tensors["transformer.wpe.weight"] = torch.zeros(5, 12)
    error = misfit(gpt(), tensors)
    assert set(error.missing) == {"h.1.mlp.c_fc.bias", "ln_f.weight"}
    assert error.left_over == ("score.weight",)
    assert error.reshaped == {"wpe.weight": ((11, 12), (5, 12))}
    assert str(error) == (
        "tensors must fit the model, got 2 missing (ln_f.weight, h.1.mlp.c_fc.bias); "
        "1 left over (score.weight); "
        "1 of another shape (wpe.weight needs (11, 12), got (5, 12))"
    )


def test_a_deeper_file_is_left_over_and_a_flatter_one_missing():
    error = misfit(gpt(3), as_gpt2(gpt(5)))
    assert len(error.left_over) == 2 * 12 and not error.missing and not error.reshaped
    assert "24 left over (h.{3..4}.ln_1.weight, h.{3..4}.ln_2.weight" in str(error)
    error = misfit(gpt(5), as_gpt2(gpt(3)))
    assert len(error.missing) == 2 * 12 and not error.left_over
    assert error.missing[0].startswith("h.3.") and "h.{3..4}.mlp.c_proj.bias" in str(error)


def test_a_wider_file_is_of_another_shape_everywhere():
    error = misfit(gpt(), as_gpt2(gpt(d_model=16)))
    assert len(error.reshaped) == 4 + 3 * 12
    assert "h.{0..2}.attn.c_attn.weight needs (12, 36), got (16, 48)" in str(error)


def test_a_square_matrix_that_is_not_turned_cannot_be_seen():
    tensors = as_gpt2(gpt())
    name = "transformer.h.0.attn.c_proj.weight"
    tensors[name] = tensors[name].T.contiguous()
    load_gpt2(gpt(), tensors)  # no error: the lesson tells why


@pytest.mark.parametrize(
    ("numbers", "written"),
    [([0], "h.0.b"), ([0, 1], "h.{0..1}.b"), ([0, 2, 3, 4, 11], "h.{0, 2..4, 11}.b")],
)
def test_layers_are_written_as_ranges(numbers, written):
    assert listed({f"h.{i}.b": "" for i in numbers}) == written


def test_notes_that_differ_stay_apart():
    assert listed({"h.0.b": " x", "h.1.b": " y", "a": ""}) == "h.0.b x, h.1.b y, a"
