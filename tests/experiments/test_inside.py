"""What is looked at inside a model is what the model computes."""

import pytest
import torch

from course_lib.config import BertConfig, GPTConfig
from course_lib.experiments.inside import handed_over, look_inside
from course_lib.models.bert import Bert
from course_lib.models.gpt import GPT

SIZES = dict(vocab_size=37, max_seq_len=11, d_model=12, n_layers=3, n_heads=4, init_std=0.5)
SEQ = 7


def bert(**changes):
    return Bert(BertConfig(**SIZES, **changes)).double().eval()


def gpt(**changes):
    return GPT(GPTConfig(**{**SIZES, **changes})).double().eval()


@pytest.fixture
def ids():
    return torch.randint(37, (1, SEQ))


def test_the_last_of_an_encoder_is_its_output(ids):
    model, segments = bert(), torch.tensor([[0, 0, 0, 1, 1, 1, 1]])
    inside = look_inside(model, ids, segments)
    assert inside.hidden.shape == (4, SEQ, 12) and inside.probs.shape == (3, 4, SEQ, SEQ)
    torch.testing.assert_close(inside.hidden[-1], model(ids, segment_ids=segments)[0])
    torch.testing.assert_close(inside.hidden[0], model.embedding(ids, segments)[0])


@pytest.mark.parametrize("changes", [{}, {"n_kv_heads": 2}, {"d_head": 5}])
def test_the_last_of_a_gpt_is_what_its_scores_are_made_of(ids, changes):
    model = gpt(**changes)
    inside = look_inside(model, ids)
    torch.testing.assert_close(model.lm_head(inside.hidden[-1]), model(ids)[0])
    assert inside.probs.triu(1).abs().max() == 0
    torch.testing.assert_close(inside.probs.sum(-1), torch.ones(3, 4, SEQ, dtype=torch.float64))


@pytest.mark.parametrize("make", [bert, gpt, lambda: gpt(n_kv_heads=2)])
def test_what_is_handed_over_adds_up_to_the_layer_s_output(ids, make):
    model = make()
    inside = look_inside(model, ids)
    block, read = model.blocks[0], inside.hidden[0]
    read = block.norm_1(read) if isinstance(model, GPT) else read
    parts = handed_over(block.attn, read)  # [head, key, d_model]
    assert torch.allclose(inside.lengths[0], parts.norm(dim=-1))
    added = torch.einsum("hqk,hkd->qd", inside.probs[0], parts) + block.attn.out_proj.bias
    visible = None if make is bert else torch.ones(SEQ, SEQ, dtype=torch.bool).tril()
    torch.testing.assert_close(added, block.attn(read, visible))


def test_shares_of_what_is_written_add_up_to_one(ids):
    inside = look_inside(bert(), ids)
    written = inside.written
    torch.testing.assert_close(written.sum(-1), torch.ones(3, 4, SEQ, dtype=torch.float64))
    by_hand = inside.probs[1, 2, 3] * inside.lengths[1, 2]
    torch.testing.assert_close(written[1, 2, 3], by_hand / by_hand.sum())


def test_another_model_is_named(unchecked):
    with pytest.raises(TypeError, match="model must be a Bert or a GPT, got Linear"):
        look_inside(torch.nn.Linear(2, 3), torch.zeros(1, 2).long())
