"""Almost the same model: each change is made, one at a time, and in a copy."""

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.experiments.inside import look_inside
from course_lib.experiments.near_misses import (
    NEAR_MISSES,
    differences,
    near_misses,
    norm_variances,
)
from course_lib.models.bert import Bert

SIZES = dict(vocab_size=37, max_seq_len=11, d_model=12, n_layers=3, n_heads=4, init_std=0.5)


def test_each_change_is_seen_from_its_place_on_and_the_model_stays():
    model, ids = Bert(BertConfig(**SIZES)).double().eval(), torch.randint(37, (1, 7))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    found = near_misses(model, ids)
    assert found.keys() == NEAR_MISSES.keys()
    for name, line in found.items():
        at_once = name in ("places counted from 1", "segments left out")
        at_once |= name == "GPT-2's 1e-5 in the norms"
        assert line.shape == (4,) and (line[1:] > 0).all()
        assert (line[0] > 0) == at_once, name
    assert all(torch.equal(t, before[name]) for name, t in model.state_dict().items())


def test_the_changes_can_be_held_to_another_model_s_first_numbers():
    model, ids = Bert(BertConfig(**SIZES)).double().eval(), torch.randint(37, (1, 7))
    reference = look_inside(model, ids).hidden[..., :5] + 3
    found = near_misses(model, ids, ("GELU in its tanh form",), reference)
    assert found["GELU in its tanh form"][0].item() == pytest.approx(3)


def test_what_a_model_has_no_place_for_is_left_out():
    model = Bert(BertConfig(**{**SIZES, "n_heads": 2}, positions="rotary")).eval()
    found = near_misses(model, torch.randint(37, (1, 7)))
    assert found.keys() == NEAR_MISSES.keys() - {"places counted from 1"}


def test_names_and_differences():
    model = Bert(BertConfig(**SIZES)).eval()
    with pytest.raises(ValueError, match="names must be among .*; got 'luck'"):
        near_misses(model, torch.zeros(1, 3).long(), ("luck",))
    assert near_misses(model, torch.zeros(1, 3).long(), ()) == {}
    one, other = torch.zeros(2, 3, 4), torch.zeros(2, 3, 4)
    other[1, 2, 0] = -5
    assert differences(one, other).tolist() == [0, 5]


def test_the_first_variance_is_that_of_the_embedding_and_no_hook_stays():
    model, ids = Bert(BertConfig(**SIZES)).double().eval(), torch.randint(37, (1, 7))
    embedding = model.embedding
    places, segments = embedding.positions.weight[:7], embedding.segments.weight[0]
    summed = embedding.tokens.weight[ids[0]] + places + segments
    found = norm_variances(model, ids)
    assert found[0] == pytest.approx(summed.var(dim=-1, correction=0).min().item())
    x = model.embedding(ids)
    read = x + model.blocks[0].attn(x)
    assert found[1] == pytest.approx(read.var(dim=-1, correction=0).min().item())
    assert len(found) == 1 + 2 * model.config.n_layers
    assert not any(module._forward_pre_hooks for module in model.modules())
