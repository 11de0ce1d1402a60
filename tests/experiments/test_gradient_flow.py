"""Gradients in deep stacks: what is measured is what autograd says, and the laws of lesson 33."""

import math

import pytest
import torch
from torch.nn.functional import cosine_similarity, cross_entropy, layer_norm

from course_lib.experiments.gradient_flow import (
    MATRICES,
    Stack,
    SweepStep,
    apart,
    build_blocks,
    empty_block,
    gradient_flow,
    sweep,
)


def narrow(placement, start="normal", **more):
    return Stack(placement, start, **{"depth": 8, "width": 64, **more})


def mean_ratio(read, stack, seeds=3):
    """Geometric mean over seeds."""
    logs = [math.log(read(gradient_flow(stack, seed))) for seed in range(seeds)]
    return math.exp(sum(logs) / seeds)


def test_norms_are_those_of_an_ordinary_backward_pass():
    stack = narrow("Pre-LN", depth=2, causal=True)
    generator = torch.Generator().manual_seed(5)
    blocks = build_blocks(stack, generator)
    x = torch.randn(4, 32, 64, generator=generator).requires_grad_()
    hidden = torch.ones(32, 32, dtype=torch.bool).tril()
    top = x
    for block in blocks:
        top = block(top, hidden)
    head = torch.randn(64, 64, generator=generator) / 8
    targets = torch.randint(64, (4, 32), generator=generator)
    logits = layer_norm(top, (64,)) @ head
    cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
    flow = gradient_flow(stack, seed=5)
    for layer, block in enumerate(blocks):
        attn, ffn = block.attn, block.ffn
        parts = attn.q_proj, attn.k_proj, attn.v_proj, attn.out_proj, ffn.widen, ffn.narrow
        wanted = torch.stack([part.weight.grad.norm() for part in parts])
        torch.testing.assert_close(flow.weights[layer], wanted, rtol=1e-4, atol=1e-8)
    torch.testing.assert_close(flow.stream[0], x.grad.norm(), rtol=1e-4, atol=1e-8)
    by_position = x.grad.norm(dim=(0, 2))
    torch.testing.assert_close(flow.positions[0], by_position, rtol=1e-4, atol=1e-8)
    rest = (x.grad - x.grad.mean(dim=1, keepdim=True)).norm()
    torch.testing.assert_close(flow.private[0], rest, rtol=1e-4, atol=1e-8)
    torch.testing.assert_close(flow.variance[-1], top.detach().square().mean())
    ratio = blocks[0].ffn.narrow.weight.grad.norm() / blocks[1].ffn.narrow.weight.grad.norm()
    assert flow.bottom_over_top("W2") == pytest.approx(ratio.item(), rel=1e-4)


def test_likeness_is_the_mean_cosine_of_two_tokens():
    x = torch.randn(2, 5, 7)
    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    wanted = torch.stack([cosine_similarity(x[:, a], x[:, b]).mean() for a, b in pairs]).mean()
    torch.testing.assert_close(1 - apart(x).float(), wanted)
    assert apart(x[:, :1].expand(2, 5, 7)).item() == pytest.approx(0, abs=1e-12)
    nearly = torch.ones(1, 2, 2).double()
    nearly[0, 1, 1] += 2e-6  # an angle of 1e-6
    assert apart(nearly).item() == pytest.approx(5e-13, rel=1e-3)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("start", ["linear", "normal", "scaled"])
def test_post_norm_keeps_the_feed_forward_gradient(start, causal):
    stack = narrow("Post-LN", start, causal=causal, depth=16)
    assert 0.6 < mean_ratio(lambda flow: flow.bottom_over_top("W2"), stack) < 1.6


@pytest.mark.parametrize(("start", "within"), [("linear", 0.2), ("normal", 0.15), ("scaled", 0.05)])
def test_pre_norm_gradient_grows_downwards_as_the_spread_grows_upwards(start, within):
    stack = narrow("Pre-LN", start, causal=True, depth=16)
    product = mean_ratio(
        lambda flow: flow.stream_ratio / (flow.variance[-1] / flow.variance[0]).sqrt().item(), stack
    )
    assert product == pytest.approx(1, abs=within)


def test_scaled_is_flat_both_ways_and_unscaled_pre_norm_is_not():
    for placement in ("Post-LN", "Pre-LN"):
        flow = gradient_flow(narrow(placement, "scaled", causal=True, depth=16))
        assert all(0.7 < flow.bottom_over_top(matrix) < 1.4 for matrix in MATRICES)
    assert gradient_flow(narrow("Pre-LN", causal=True, depth=16)).bottom_over_top("W2") > 1.5


def test_queries_and_keys_starve_at_the_top_where_tokens_become_alike():
    flow = gradient_flow(narrow("Post-LN", "xavier", depth=12))
    assert flow.likeness[-1] > 0.95 > 0.1 > flow.likeness[0]
    assert min(flow.bottom_over_top("Q"), flow.bottom_over_top("K")) > 10
    alive = gradient_flow(narrow("Post-LN", "scaled", depth=12))
    assert alive.likeness[-1] < 0.2 and alive.bottom_over_top("Q") < 2


def test_the_gradient_of_queries_follows_how_far_tokens_are_apart():
    # Queries and keys see differences alone: between values, and between keys.
    flow = gradient_flow(narrow("Post-LN", "xavier", depth=12))
    share = flow.weights[:, 0] / flow.weights[:, 2]
    law = share / flow.apart[:-1]
    assert share[1] / share[-1] > 30 and law[1:].max() / law[1:].min() < 3


def test_behind_a_causal_mask_the_gradient_gathers_on_the_first_tokens():
    def first_four(causal, place):
        stack = narrow("Post-LN", "xavier", causal=causal, depth=12)
        squares = gradient_flow(stack).positions[place].square()
        return (squares[:4].sum() / squares.sum()).item()

    assert first_four(True, 0) > 0.9 > 0.2 > max(first_four(True, -1), first_four(False, 0))


def test_the_top_of_post_norm_knows_nothing_of_depth():
    tops = [gradient_flow(narrow("Post-LN", start, depth=depth)).stream[-1].item()
            for start in ("normal", "xavier") for depth in (2, 12)]  # fmt: skip
    assert max(tops) / min(tops) < 1.1
    spread = gradient_flow(narrow("Pre-LN", "xavier", depth=12))
    law = tops[0] / spread.variance[-1].sqrt().item()
    assert spread.stream[-1].item() == pytest.approx(law, rel=0.1) and law < 0.5 * tops[0]


def test_the_identity_comes_back_as_the_gain_goes_to_zero():
    ratios = [abs(gradient_flow(narrow("Pre-LN", "xavier", gain=g)).stream_ratio - 1)
              for g in (1.0, 0.3, 0.05)]  # fmt: skip
    assert ratios[0] > 0.3 and ratios == sorted(ratios, reverse=True) and ratios[2] < 1e-3
    still = gradient_flow(narrow("Pre-LN", gain=0.0))
    assert still.stream_ratio == pytest.approx(1)


def test_a_small_input_has_a_large_gradient():
    small = gradient_flow(narrow("Pre-LN", "xavier", input_std=0.02))
    assert small.stream_ratio > 20 * gradient_flow(narrow("Pre-LN", "xavier")).stream_ratio


def test_sweep_counts_and_covers():
    steps = list(sweep((2, 3), ("normal", "linear"), width=16))
    assert [step.step for step in steps] == list(range(1, 17))
    assert isinstance(steps[0], SweepStep) and len({step.stack for step in steps}) == 16
    assert steps[0].flow.weights.shape == (2, 6) and steps[-1].flow.stream.shape == (4,)


def test_a_sweep_measures_what_each_stack_alone_gives():
    for step in sweep((2, 3), ("scaled",), width=16, seed=4):
        alone = gradient_flow(step.stack, seed=4)
        assert torch.equal(step.flow.weights, alone.weights)
        assert torch.equal(step.flow.positions, alone.positions)


def test_heads_are_64_wide_where_the_width_allows():
    assert empty_block("Post-LN", 256).attn.n_heads == 4 and empty_block("Pre-LN", 16)


def test_bad_input_is_named(as_shipped):
    with pytest.raises(ValueError, match="placement must be one of .* got 'pre'"):
        Stack("pre")
    with pytest.raises(ValueError, match="depth must be a whole number >= 1, got 0"):
        Stack("Pre-LN", depth=0)
    with pytest.raises(ValueError, match="input_std must be > 0, got -1"):
        Stack("Pre-LN", input_std=-1)
