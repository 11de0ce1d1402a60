"""Other shares with the same mix: exact equations, no negative share, and the same model."""

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.experiments.other_attention import (
    even_attention,
    lowered,
    other_attention,
    read_with,
)
from course_lib.models.bert import Bert

HEADS, SEQ, D_HEAD = 3, 13, 4


def encoder(**changes):
    sizes = dict(vocab_size=37, max_seq_len=20, d_model=12, n_layers=3, n_heads=3, init_std=0.4)
    return Bert(BertConfig(**{**sizes, **changes})).double().eval()


def shares_and_values(seq=SEQ):
    shares = torch.randn(HEADS, 5, seq, dtype=torch.float64).mul(2).softmax(dim=-1)
    return shares, torch.randn(HEADS, seq, D_HEAD, dtype=torch.float64)


def test_the_mix_stays_and_the_favourite_falls():
    was, values = shares_and_values()
    favourite = was.argmax(dim=-1)
    now = lowered(was, values, favourite)
    assert now.min() >= 0
    torch.testing.assert_close(now.sum(-1), torch.ones(HEADS, 5, dtype=torch.float64))
    torch.testing.assert_close(now @ values, was @ values, rtol=0, atol=1e-10)
    before, after = (x.gather(-1, favourite[..., None])[..., 0] for x in (was, now))
    assert (after < before - 1e-6).all()
    # One equation for each number of the mix and one for the sum: so many keys are enough.
    at_zero = after < 1e-9
    n_left = (now > 1e-9).sum(dim=-1)
    assert ((n_left <= D_HEAD + 1) | at_zero).all()


def test_by_hand_with_two_equal_values():
    shares = torch.tensor([[[0.7, 0.2, 0.1]]], dtype=torch.float64)
    values = torch.tensor([[[1.0], [1.0], [5.0]]], dtype=torch.float64)
    now = lowered(shares, values, torch.tensor([[0]]))
    torch.testing.assert_close(now, torch.tensor([[[0.0, 0.9, 0.1]]], dtype=torch.float64))


def test_with_fewer_keys_than_equations_there_is_no_other_attention():
    was, values = shares_and_values(seq=D_HEAD + 1)
    torch.testing.assert_close(lowered(was, values, was.argmax(-1)), was, rtol=0, atol=1e-9)


def test_a_model_with_other_attention_gives_the_same_vectors():
    model, ids = encoder(), torch.randint(37, (1, SEQ))
    found = other_attention(model, ids, layer=1)
    assert found.moved < 1e-9 < found.scale and found.tokens == SEQ
    was, now = found.favourite_shares
    assert torch.equal(was, found.was.amax(dim=-1))
    assert (now <= was + 1e-12).all() and (now < 0.9 * was).double().mean() > 0.5
    assert (found.now - found.was).abs().max() > 0.05


def test_reading_with_the_model_s_own_shares_changes_nothing():
    model, ids = encoder(), torch.randint(37, (1, SEQ))
    torch.testing.assert_close(read_with(model, ids, {}), model(ids)[0])
    probs = model.blocks[0].attn.attend(model.embedding(ids)).probs[0]
    torch.testing.assert_close(read_with(model, ids, {0: probs}), model(ids)[0])
    other = probs.roll(1, dims=-1)
    assert (read_with(model, ids, {0: other}) - model(ids)[0]).abs().max() > 1e-3


@pytest.mark.parametrize("layers", [(), (1,), (0, 1, 2)])
def test_even_attention_is_the_mean_of_the_values(layers):
    model, ids = encoder(), torch.randint(37, (1, SEQ))
    found = even_attention(model, ids, layers)
    x = model.embedding(ids)
    for layer, block in enumerate(model.blocks):
        attn = block.attn
        even = attn.out_proj(attn.v_proj(x).mean(dim=1, keepdim=True)).expand_as(x)
        x = block.norm_1(x + (even if layer in layers else attn(x)))
        x = block.norm_2(x + block.ffn(x))
    torch.testing.assert_close(found, x[0])


def test_rotary_encoders_can_be_read_so_too():
    model, ids = encoder(positions="rotary", qk_norm=True), torch.randint(37, (1, SEQ))
    torch.testing.assert_close(read_with(model, ids, {}), model(ids)[0])
    assert other_attention(model, ids, layer=2).moved < 1e-9
