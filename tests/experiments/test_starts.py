"""The four starts have the spreads that their names promise."""

import math

import pytest
import torch
from torch import nn

from course_lib.config import GPTConfig
from course_lib.experiments.gradient_flow import Stack, build_blocks, empty_block
from course_lib.experiments.starts import STARTS, draw_weights, equivalent_std
from course_lib.mechanisms.blocks import CrossAttentionBlock
from course_lib.mechanisms.initialisation import initialise_gpt


def spreads(blocks):
    block = blocks[-1]
    parts = block.attn.q_proj, block.attn.out_proj, block.ffn.widen, block.ffn.narrow
    return [part.weight.std().item() for part in parts]


def drawn(start, depth=3, width=96, placement="Post-LN", gain=1.0):
    stack = Stack(placement, start, depth=depth, width=width, gain=gain)
    return build_blocks(stack, torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("linear", [1 / math.sqrt(3 * n) for n in (96, 96, 96, 384)]),
        ("xavier", [math.sqrt(2 / n) for n in (192, 192, 480, 480)]),
        ("normal", [0.02 * math.sqrt(8)] * 4),
        ("scaled", [0.02 * math.sqrt(8) / s for s in (1, 6**0.5, 1, 6**0.5)]),
    ],
)
@pytest.mark.parametrize("placement", ["Post-LN", "Pre-LN"])
def test_spreads(start, wanted, placement):
    assert spreads(drawn(start, placement=placement)) == pytest.approx(wanted, rel=0.03)


def test_linear_is_what_torch_draws():
    fresh = [empty_block("Pre-LN", 96)]
    assert spreads(drawn("linear")) == pytest.approx(spreads(fresh), rel=0.03)
    bound = drawn("linear")[0].attn.q_proj.weight.abs().max().item()
    assert bound == pytest.approx(1 / math.sqrt(96), rel=0.01)


def test_xavier_is_what_torch_draws():
    matrix = nn.init.xavier_uniform_(torch.empty(384, 96))
    ours = drawn("xavier")[0].ffn.widen.weight
    assert ours.std().item() == pytest.approx(matrix.std().item(), rel=0.03)
    assert ours.abs().max().item() == pytest.approx(matrix.abs().max().item(), rel=0.01)


def test_scaled_is_what_the_library_draws_for_gpt():
    config = GPTConfig(1, 1, d_model=96, n_layers=3, n_heads=2)
    blocks = nn.ModuleList(type(empty_block("Pre-LN", 96))(config) for _ in range(3))
    initialise_gpt(blocks, equivalent_std(96))
    assert spreads(drawn("scaled", placement="Pre-LN")) == pytest.approx(spreads(blocks), rel=0.03)


def test_gain_multiplies_and_biases_are_zero():
    for start in STARTS:
        once, thrice = drawn(start), drawn(start, gain=3.0)
        torch.testing.assert_close(3 * once[1].ffn.widen.weight, thrice[1].ffn.widen.weight)
        assert not once[0].ffn.narrow.bias.any()


def test_cross_attention_is_drawn_and_scaled_as_well():
    config = GPTConfig(1, 1, d_model=96, n_layers=1, n_heads=2)
    block = CrossAttentionBlock(config, norm_first=False)
    draw_weights([block], "scaled", 8, torch.Generator().manual_seed(0))
    cross = block.cross_attn
    found = [cross.v_proj.weight.std().item(), cross.out_proj.weight.std().item()]
    assert found == pytest.approx([equivalent_std(96), equivalent_std(96) / 4], rel=0.03)


def test_the_published_width_has_the_published_spread():
    assert equivalent_std(768) == 0.02
    assert 256 * equivalent_std(256) ** 2 == pytest.approx(768 * 0.02**2)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="start must be one of .* got 'he'"):
        draw_weights([], "he", 2, torch.Generator())
