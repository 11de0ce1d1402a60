import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.config import BertConfig, GPTConfig, TransformerConfig
from course_lib.mechanisms.blocks import CrossAttentionBlock, PostNormBlock, PreNormBlock
from course_lib.mechanisms.feed_forward import FeedForward
from course_lib.mechanisms.masks import causal_mask


def _copy_to_torch(block: PreNormBlock | PostNormBlock, layer: nn.TransformerEncoderLayer) -> None:
    projections = (block.attn.q_proj, block.attn.k_proj, block.attn.v_proj)
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
        layer.self_attn.in_proj_bias.copy_(torch.cat([p.bias for p in projections]))
    for theirs, ours in (
        (layer.self_attn.out_proj, block.attn.out_proj),
        (layer.linear1, block.ffn.widen),
        (layer.linear2, block.ffn.narrow),
        (layer.norm1, block.norm_1),
        (layer.norm2, block.norm_2),
    ):
        theirs.load_state_dict(ours.state_dict())


def _gelu_tanh(x):
    return nn.functional.gelu(x, approximate="tanh")


@pytest.mark.parametrize(
    ("kind", "config", "activation"),
    [(PreNormBlock, GPTConfig, _gelu_tanh), (PostNormBlock, BertConfig, nn.functional.gelu)],
)
def test_block_equals_torch_in_values_and_gradients(kind, config, activation):
    shape = config(vocab_size=2, max_seq_len=5, d_model=12, n_layers=1, n_heads=3, d_ff=20)
    block = kind(shape).double()
    layer = nn.TransformerEncoderLayer(
        12, 3, 20, dropout=0, batch_first=True, norm_first=kind is PreNormBlock,
        activation=activation, layer_norm_eps=shape.norm_eps, dtype=torch.float64,
    )  # fmt: skip
    _copy_to_torch(block, layer)
    x = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
    visible = causal_mask(5)
    actual, expected = block(x, visible), layer(x, src_mask=~visible)
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-12)
    upstream = torch.randn_like(x)
    torch.testing.assert_close(
        torch.autograd.grad(actual, x, upstream), torch.autograd.grad(expected, x, upstream)
    )


def test_a_block_hands_positions_to_its_rotary_attention():
    torch.manual_seed(0)
    block = PreNormBlock(GPTConfig(2, 5, d_model=12, n_layers=1, n_heads=3, positions="rotary"))
    x, visible = torch.randn(2, 5, 12), causal_mask(5)
    torch.testing.assert_close(block(x, visible), block(x, visible, torch.arange(5) + 9))
    assert not torch.allclose(block(x, visible), block(x, visible, 5 * torch.arange(5)))


def test_feed_forward_works_on_each_position_alone():
    ffn = FeedForward(d_model=6, d_ff=10)
    x = torch.randn(2, 5, 6)
    torch.testing.assert_close(ffn(x)[:, 3], ffn(x[:, 3]))


def _copy_attention(theirs: nn.MultiheadAttention, ours) -> None:
    projections = (ours.q_proj, ours.k_proj, ours.v_proj)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
        theirs.in_proj_bias.copy_(torch.cat([p.bias for p in projections]))
    theirs.out_proj.load_state_dict(ours.out_proj.state_dict())


@pytest.mark.parametrize("norm_first", [True, False])
def test_cross_attention_block_equals_torch_in_values_and_gradients(norm_first):
    config = TransformerConfig(2, 5, d_model=12, n_layers=1, n_heads=3, d_ff=20)
    block = CrossAttentionBlock(config, norm_first=norm_first).double()
    layer = nn.TransformerDecoderLayer(
        12, 3, 20, dropout=0, batch_first=True, norm_first=norm_first,
        activation=nn.functional.gelu, layer_norm_eps=config.norm_eps, dtype=torch.float64,
    )  # fmt: skip
    _copy_attention(layer.self_attn, block.attn)
    _copy_attention(layer.multihead_attn, block.cross_attn)
    for theirs, ours in (
        (layer.linear1, block.ffn.widen), (layer.linear2, block.ffn.narrow),
        (layer.norm1, block.norm_1), (layer.norm2, block.norm_2), (layer.norm3, block.norm_3),
    ):  # fmt: skip
        with torch.no_grad():
            ours.bias.normal_()
        theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(2, 7, 12, dtype=torch.float64, requires_grad=True)
    visible, readable = causal_mask(5), torch.tensor([1, 1, 0, 1, 1, 0, 1]).bool().expand(5, 7)
    actual = block(x, memory, visible, readable)
    expected = layer(x, memory, tgt_mask=~visible, memory_mask=~readable)
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-12)
    upstream = torch.randn_like(x)
    for got, wanted in zip(
        torch.autograd.grad(actual, (x, memory), upstream),
        torch.autograd.grad(expected, (x, memory), upstream),
        strict=True,
    ):
        torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-11)


def test_a_block_with_what_later_models_changed_equals_the_formula():
    config = GPTConfig(
        13, 6, d_model=12, n_layers=1, n_heads=3, d_ff=20, positions="none", norm="rms",
        norm_eps=0.1, activation="relu squared", biases=False, qk_norm=True,
    )  # fmt: skip
    block = PreNormBlock(config).double()
    with torch.no_grad():
        for norm in (block.norm_1, block.norm_2):
            norm.weight.normal_()
    x, visible = torch.randn(2, 5, 12, dtype=torch.float64), causal_mask(5)
    read = functional.rms_norm(x, (12,), block.norm_1.weight, 0.1)
    q, k, v = (
        (read @ proj.weight.T).view(2, 5, 3, 4).transpose(1, 2)
        for proj in (block.attn.q_proj, block.attn.k_proj, block.attn.v_proj)
    )
    q, k = (functional.rms_norm(y, (4,), eps=1e-6) for y in (q, k))
    z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    middle = x + z.transpose(1, 2).flatten(-2) @ block.attn.out_proj.weight.T
    read = functional.rms_norm(middle, (12,), block.norm_2.weight, 0.1)
    bent = functional.relu(read @ block.ffn.widen.weight.T).square()
    expected = middle + bent @ block.ffn.narrow.weight.T
    torch.testing.assert_close(block(x, visible), expected, rtol=1e-11, atol=1e-12)
