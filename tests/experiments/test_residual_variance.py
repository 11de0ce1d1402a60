"""The stream's variance: the sum of what is added, and how it grows."""

import pytest
import torch

from course_lib.experiments.gradient_flow import Stack, build_blocks
from course_lib.experiments.residual_variance import (
    attention_variance,
    contributions,
    feed_forward_variance,
    residual_variance,
)
from course_lib.experiments.starts import equivalent_std


def test_layer_by_layer_is_the_stack_itself():
    # One block drawn anew in place gives what a whole stack gives, from the same numbers.
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(2, 32, 16, generator=generator)
    for block in build_blocks(Stack("Pre-LN", "xavier", depth=3, width=16), generator):
        x = block(x)
    walk = list(residual_variance("xavier", 3, width=16, seed=3))
    assert walk[-1].after == pytest.approx(x.square().mean().item(), rel=1e-5)
    assert [layer.step for layer in walk] == [1, 2, 3]


def test_what_is_added_adds_up():
    for layer in residual_variance("normal", 6, width=64, causal=True):
        parts = layer.before + layer.attention + layer.feed_forward
        assert layer.after == pytest.approx(parts, rel=0.05)


def test_growth_and_its_end():
    unscaled = [layer.after for layer in residual_variance("normal", 24, width=64)]
    assert unscaled == sorted(unscaled) and unscaled[-1] > 3
    for n_layers in (6, 24):
        assert 1.03 < list(residual_variance("scaled", n_layers, width=64))[-1].after < 1.2


@pytest.mark.parametrize("width", [64, 256])
def test_the_feed_forward_part_follows_from_the_spreads(width):
    std = equivalent_std(width)
    law = feed_forward_variance(width, std, std)
    assert law == pytest.approx(feed_forward_variance(768, 0.02, 0.02))  # d * std^2 decides
    first = next(iter(residual_variance("normal", 1, width=width)))
    assert first.feed_forward == pytest.approx(law, rel=0.1)


def test_a_feed_forward_layer_of_tiny_weights_is_half_a_linear_one():
    # GELU is x / 2 near 0.
    half = 4 * 100 * 0.1**2 * (100 * 1e-4**2) / 4
    assert feed_forward_variance(100, 1e-4, 0.1) == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize("n_layers", [1, 2, 5])
def test_two_contributions_a_layer_and_the_input(n_layers):
    parts, stream = contributions("xavier", n_layers)
    assert len(parts) == 2 * n_layers + 1
    torch.testing.assert_close(sum(parts), stream)


def test_bad_input_is_named_at_the_call():
    with pytest.raises(ValueError, match="start must be one of"):
        residual_variance("he", 3)
    with pytest.raises(ValueError, match="n_layers must be a whole number >= 1, got 0"):
        residual_variance("normal", 0)


def test_attention_of_unlike_and_of_like_tokens():
    d, values, writer = 100, 0.2, 0.1
    assert attention_variance(d, values, writer, 1) == pytest.approx(4.0 * 1.0)
    assert attention_variance(d, values, writer, 2) == pytest.approx(4.0 * 0.75)
    assert attention_variance(d, values, writer, 3, likeness=1.0) == pytest.approx(4.0)
    half = attention_variance(d, values, writer, 2, likeness=0.5)
    assert half == pytest.approx(4.0 * (0.75 + 0.25 * 0.5))


@pytest.mark.parametrize("width", [64, 256])
def test_the_attention_part_follows_from_spreads_and_likeness(width):
    std = equivalent_std(width)
    layers = [layer for seed in range(4) for layer in
              residual_variance("normal", 4, width=width, causal=True, seed=seed)]  # fmt: skip
    for step in (1, 4):
        found = [layer for layer in layers if layer.step == step]
        laws = [attention_variance(width, std, std, 32, layer.likeness) for layer in found]
        measured = sum(layer.attention for layer in found)
        assert measured == pytest.approx(sum(laws), rel=0.2)
