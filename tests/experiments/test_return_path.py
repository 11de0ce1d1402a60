"""What sublayers add and return, and the popular law, which holds once nothing is returned."""

import pytest
import torch
from torch.nn.functional import cosine_similarity, layer_norm

from course_lib.experiments.gradient_flow import Stack, build_blocks, gradient_flow
from course_lib.experiments.return_path import SUBLAYERS, cut_flow, exchange, popular_law


def stack(placement="Post-LN", start="normal", **more):
    return Stack(placement, start, **{"depth": 6, "width": 64, **more})


def test_uncut_is_the_same_stack():
    run, flow = cut_flow(stack(), (), seed=3), gradient_flow(stack(), seed=3)
    assert torch.equal(run.flow.weights, flow.weights)
    assert torch.equal(run.flow.positions, flow.positions)


def test_cutting_changes_gradients_and_no_values():
    for placement in ("Post-LN", "Pre-LN"):
        whole, cut = (cut_flow(stack(placement), parts) for parts in ((), SUBLAYERS))
        assert torch.equal(whole.added, cut.added)
        assert torch.equal(whole.flow.variance, cut.flow.variance)
        assert not torch.allclose(whole.flow.stream, cut.flow.stream)


def test_what_is_added_is_the_mean_square_of_the_sublayers():
    run = cut_flow(stack(depth=1))
    generator = torch.Generator().manual_seed(0)
    (block,) = build_blocks(stack(depth=1), generator)
    x = torch.randn(4, 32, 64, generator=generator)
    attended = block.attn(x)
    thought = block.ffn(layer_norm(x + attended, (64,)))
    wanted = torch.stack([attended, thought]).square().mean(dim=(1, 2, 3))[None]
    torch.testing.assert_close(run.added, wanted.detach(), rtol=1e-4, atol=0)


@pytest.mark.parametrize("start", ["linear", "normal", "xavier"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_popular_law_holds_when_nothing_is_returned_and_else_not(start, causal):
    run = cut_flow(stack(start=start, causal=causal, width=256))
    law = popular_law(run.added)
    assert (run.flow.stream[0] / run.flow.stream[-1] / law[0]).item() == pytest.approx(1, abs=0.15)
    whole = cut_flow(stack(start=start, causal=causal, width=256), ())
    assert whole.flow.stream_ratio > 1.15 * law[0].item()


def test_pre_norm_is_lossless_when_nothing_is_returned():
    run = cut_flow(stack("Pre-LN", "xavier"))
    assert run.flow.stream_ratio == pytest.approx(1, abs=1e-5)
    assert cut_flow(stack("Pre-LN", "xavier"), ()).flow.stream_ratio > 1.5


def test_one_kind_alone_can_be_cut():
    for name, column in zip(SUBLAYERS, (0, 1), strict=True):
        run = cut_flow(stack(start="xavier", causal=True), [name])
        law = popular_law(run.added[:, column : column + 1])[0].item()
        assert run.flow.stream_ratio / law == pytest.approx(1, abs=0.6) and law < 0.6


def test_the_law_multiplies_from_the_top():
    law = popular_law(torch.tensor([[3.0, 0.0], [1.0, 1.0]]))
    assert law.tolist() == pytest.approx([0.25, 0.5, 1])


@pytest.mark.parametrize("likeness", [0.0, 0.99])
def test_feed_forward_returns_what_it_adds(likeness):
    found = exchange("normal", "feed-forward", likeness, width=128)
    assert found.private / found.added == pytest.approx(1.07, abs=0.2)
    assert found.shared / found.added == pytest.approx(1.07, abs=0.2)


def test_attention_on_alike_tokens_returns_what_they_share_alone():
    found = exchange("xavier", "attention", 0.99)
    assert found.shared / found.added == pytest.approx(1, abs=0.35)
    assert found.private < 1e-3 * found.added
    apart = exchange("xavier", "attention", 0.0)
    assert apart.added < 0.2 * found.added and apart.private > 0.05


def test_tokens_are_as_alike_as_was_asked_for(monkeypatch):
    seen = []

    def watched(block, name):
        return lambda x: seen.append(x.detach()) or x

    monkeypatch.setattr("course_lib.experiments.return_path._module", watched)
    exchange("normal", "attention", 0.6, width=256)
    x = seen[0]
    assert cosine_similarity(x[:, 0], x[:, 1]).mean().item() == pytest.approx(0.6, abs=0.1)
    assert x.square().mean().item() == pytest.approx(1, rel=1e-3)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="a sublayer must be one of .* got 'ffn'"):
        cut_flow(stack(), ["ffn"])
    with pytest.raises(ValueError, match="likeness must be from 0 to 1, got 2"):
        exchange("normal", "attention", 2.0)
