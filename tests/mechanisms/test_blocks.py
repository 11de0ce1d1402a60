import pytest
import torch
from torch import nn

from course_lib.config import BertConfig, GPTConfig
from course_lib.mechanisms.blocks import PostNormBlock, PreNormBlock
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
