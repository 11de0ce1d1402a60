import pytest
import torch
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaMLP

from course_lib.mechanisms.feed_forward import FeedForward, GatedFeedForward


def test_positions_do_not_see_each_other():
    layer = FeedForward(4, 8)
    x = torch.randn(2, 5, 4)
    torch.testing.assert_close(layer(x)[:, 3], layer(x[:, 3]))


def test_bad_input_is_named(as_shipped):
    with pytest.raises(ValueError, match="d_ff must be a whole number >= 1, got 0"):
        FeedForward(4, 0)
    with pytest.raises(TypeError, match="activation must be a function, got 'gelu'"):
        as_shipped(FeedForward.__init__)(FeedForward(4, 8), 4, 8, "gelu")
    with pytest.raises(ValueError, match=r"x must be 4 wide, got shape \(2, 3\)"):
        as_shipped(FeedForward.forward)(FeedForward(4, 8), torch.zeros(2, 3))


def test_the_gated_layer_equals_llama_s_in_values_and_gradients():
    ours = GatedFeedForward(4, 10).double()
    theirs = LlamaMLP(
        LlamaConfig(hidden_size=4, intermediate_size=10, num_attention_heads=2)
    ).double()
    names = (
        (theirs.gate_proj, ours.gate),
        (theirs.up_proj, ours.widen),
        (theirs.down_proj, ours.narrow),
    )
    for their, our in names:
        their.load_state_dict(our.state_dict())
    x = torch.randn(2, 5, 4, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(ours(x), theirs(x), rtol=1e-12, atol=1e-13)
    upstream = torch.randn(2, 5, 4, dtype=torch.float64)
    torch.testing.assert_close(
        torch.autograd.grad(ours(x), (x, ours.gate.weight), upstream),
        torch.autograd.grad(theirs(x), (x, theirs.gate_proj.weight), upstream),
    )


def test_a_closed_gate_lets_nothing_through():
    layer = GatedFeedForward(4, 10)
    with torch.no_grad():
        layer.gate.weight.zero_()
    assert not layer(torch.randn(3, 4)).any()


def test_bad_input_to_the_gated_layer_is_named(as_shipped):
    with pytest.raises(ValueError, match="d_model must be a whole number >= 1, got 0"):
        GatedFeedForward(0, 4)
    with pytest.raises(TypeError, match="activation must be a function, got 'silu'"):
        as_shipped(GatedFeedForward.__init__)(GatedFeedForward(4, 8), 4, 8, "silu")
    with pytest.raises(ValueError, match=r"x must be 4 wide, got shape \(2, 3\)"):
        as_shipped(GatedFeedForward.forward)(GatedFeedForward(4, 8), torch.zeros(2, 3))
