"""The walk up a fresh stack is the stack itself, at any depth and in any variant."""

import copy
import math

import pytest
import torch

from course_lib.experiments.fresh_stack import fresh_blocks, fresh_layers
from course_lib.experiments.gradient_flow import POST, PRE, Stack, build_blocks
from course_lib.mechanisms.masks import causal_mask

WIDTH = 16


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def tokens():
    return torch.randn(3, 5, WIDTH, generator=seeded(9))


def walk(n_layers=3, start="normal", seed=0, **options):
    return list(fresh_layers(tokens(), n_layers, start, seeded(seed), **options))


@pytest.mark.parametrize("start", ["xavier", "scaled"])
@pytest.mark.parametrize("visible", [None, causal_mask(5)])
def test_it_is_what_a_whole_stack_returns(start, visible):
    stack, x = Stack(PRE, start, depth=3, width=WIDTH), tokens()
    layers = walk(start=start, visible=visible)
    for layer, block in zip(layers, build_blocks(stack, seeded()), strict=True):
        torch.testing.assert_close(layer.before, x)
        x = block(x, visible)
    torch.testing.assert_close(layers[-1].after, x.detach())
    assert [layer.step for layer in layers] == [1, 2, 3]


def test_a_factor_on_what_is_written_is_one_on_the_writers():
    factors = torch.tensor([0.5, 1.0, 3.0])
    at_once = walk(writers=factors[:, None, None])[-1].after
    for factor, found, x in zip(factors, at_once, tokens(), strict=True):
        for block in fresh_blocks(PRE, WIDTH, 3, "normal", seeded()):
            with torch.no_grad():
                for writer in (block.attn.out_proj, block.ffn.narrow):
                    writer.weight.mul_(factor)
                x = block(x[None])[0]
        torch.testing.assert_close(found, x)


def test_scaled_is_normal_with_smaller_writers():
    small = walk(writers=1 / math.sqrt(6))[-1].after
    torch.testing.assert_close(walk(start="scaled")[-1].after, small)


@pytest.mark.parametrize("same", [False, True])
def test_every_layer_has_its_own_weights_unless_they_are_the_same(same):
    blocks = fresh_blocks(POST, WIDTH, 3, "normal", seeded(), same_weights=same)
    one, two, three = (copy.deepcopy(block).ffn.widen.weight for block in blocks)
    assert torch.equal(one, two) == torch.equal(two, three) == same


def test_gain_and_seed():
    doubled = next(fresh_blocks(PRE, WIDTH, 1, "xavier", seeded(), gain=2.0)).attn.q_proj.weight
    plain = next(fresh_blocks(PRE, WIDTH, 1, "xavier", seeded())).attn.q_proj.weight
    torch.testing.assert_close(doubled, 2 * plain)
    assert torch.equal(walk(seed=1)[-1].after, walk(seed=1)[-1].after)
    assert not torch.equal(walk(seed=1)[-1].after, walk(seed=2)[-1].after)


def test_torch_s_own_generator_is_left_alone_and_nothing_is_recorded():
    before = torch.get_rng_state()
    assert not walk()[-1].after.requires_grad
    assert torch.equal(before, torch.get_rng_state())


def test_bad_input_is_named_at_the_call():
    with pytest.raises(ValueError, match="start must be one of"):
        fresh_layers(tokens(), 2, "he", seeded())
    with pytest.raises(ValueError, match="n_layers must be a whole number >= 1, got 0"):
        fresh_layers(tokens(), 0, "normal", seeded())
