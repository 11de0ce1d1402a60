import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.mechanisms.attention import (
    MultiHeadAttention,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from course_lib.mechanisms.masks import causal_mask

N_QUERY, N_KEY, D_HEAD, D_VALUE = 5, 7, 3, 4


def draw(*leading, grad=False):
    shapes = [(N_QUERY, D_HEAD), (N_KEY, D_HEAD), (N_KEY, D_VALUE)]
    return [
        torch.randn(*leading, *shape, dtype=torch.float64, requires_grad=grad) for shape in shapes
    ]


@pytest.mark.parametrize("leading", [(), (2,), (2, 6)])
@pytest.mark.parametrize("masked", [False, True])
def test_values_and_gradients_equal_torch(leading, masked):
    q, k, v = draw(*leading, grad=True)
    visible = causal_mask(N_QUERY, N_KEY) if masked else None
    actual = scaled_dot_product_attention(q, k, v, visible).z
    expected = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)
    upstream = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, (q, k, v), upstream)
    got = torch.autograd.grad(actual, (q, k, v), upstream)
    for ours, theirs in zip(got, wanted, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)


def test_a_mask_for_each_text_and_head_broadcasts():
    q, k, v = draw(2, 6)
    visible = torch.rand(2, 1, 1, N_KEY) > 0.4
    visible[..., 0] = True
    actual = scaled_dot_product_attention(q, k, v, visible)
    expected = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    torch.testing.assert_close(actual.z, expected)
    hidden = (~visible).expand_as(actual.probs)
    assert (actual.probs[hidden] == 0).all() and (actual.scores[hidden] == -torch.inf).all()


def test_scale_replaces_the_root():
    q, k, v = draw(2)
    actual = scaled_dot_product_attention(q, k, v, scale=0.3)
    torch.testing.assert_close(actual.scores, 0.3 * q @ k.transpose(-2, -1))
    default = scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(default.scores, q @ k.transpose(-2, -1) / math.sqrt(D_HEAD))


def test_dropout_keeps_the_mean_and_drops_some():
    q, k = torch.zeros(1, D_HEAD), torch.zeros(4000, D_HEAD)
    out = scaled_dot_product_attention(q, k, torch.ones(4000, 1), dropout=0.25)
    # 4000 kept-or-not draws: the standard error of the mean is 0.009, the band four of them.
    assert out.z.item() == pytest.approx(1, abs=0.037)
    assert out.z.item() != 1


def test_no_leak_from_the_future_by_jacobian():
    seq = 6
    attn = MultiHeadAttention(d_model=8, n_heads=2, d_head=3).double()
    x = torch.randn(seq, 8, dtype=torch.float64)

    def influence(visible):
        jacobian = torch.autograd.functional.jacobian(lambda x: attn(x, visible), x)
        return jacobian.abs().amax(dim=(1, 3))  # [written, read]

    future = torch.ones(seq, seq).triu(1).bool()
    assert (influence(causal_mask(seq))[future] == 0).all()
    assert (influence(causal_mask(seq))[~future] > 0).all()
    assert (influence(None)[future] > 0).all()


def test_permuted_positions_give_permuted_outputs():
    attn = MultiHeadAttention(d_model=8, n_heads=4).double()
    x = torch.randn(2, 6, 8, dtype=torch.float64)
    order = torch.randperm(6)
    torch.testing.assert_close(attn(x[:, order]), attn(x)[:, order])


def test_splitting_and_merging_heads_are_inverse():
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    assert torch.equal(heads[:, 1], x[..., 4:8])
    assert torch.equal(merge_heads(heads), x)


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_equals_torch(masked):
    ours = MultiHeadAttention(d_model=12, n_heads=3).double()
    theirs = nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    projections = (ours.q_proj, ours.k_proj, ours.v_proj)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
        theirs.in_proj_bias.copy_(torch.cat([p.bias for p in projections]))
        theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
    x = torch.randn(2, N_QUERY, 12, dtype=torch.float64, requires_grad=True)
    source = torch.randn(2, N_KEY, 12, dtype=torch.float64)
    visible = causal_mask(N_QUERY, N_KEY) if masked else None
    hidden = ~visible if masked else None  # torch's module means the opposite: True = hidden
    actual = ours(x, visible, source)
    expected, probs = theirs(x, source, source, attn_mask=hidden, average_attn_weights=False)
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(ours.attend(x, visible, source).probs, probs)
    upstream = torch.randn_like(actual)
    torch.testing.assert_close(
        torch.autograd.grad(actual, x, upstream), torch.autograd.grad(expected, x, upstream)
    )


def test_head_width_is_free():
    attn = MultiHeadAttention(d_model=8, n_heads=3, d_head=5)
    assert attn.q_proj.weight.shape == (15, 8) and attn.out_proj.weight.shape == (8, 15)
    assert attn(torch.randn(2, 4, 8)).shape == (2, 4, 8)


def test_indivisible_heads_name_both_numbers():
    with pytest.raises(ValueError, match="d_model must be divisible by n_heads.*d_model=8.*=3"):
        MultiHeadAttention(d_model=8, n_heads=3)


def test_different_widths_of_q_and_k_are_named(as_shipped):
    with pytest.raises(
        ValueError, match="k must be as wide as q, got q of width 3 and k of width 4"
    ):
        as_shipped(scaled_dot_product_attention)(
            torch.zeros(5, 3), torch.zeros(7, 4), torch.zeros(7, 2)
        )


def test_a_row_that_may_see_nothing_is_an_error():
    q, k, v = draw()
    visible = causal_mask(N_QUERY, N_KEY).clone()
    visible[2] = False
    with pytest.raises(ValueError, match="visible must leave each query at least one key"):
        scaled_dot_product_attention(q, k, v, visible)


def test_dropout_acts_in_training_only():
    attn = MultiHeadAttention(d_model=8, n_heads=2, dropout=0.5)
    x = torch.randn(1, 6, 8)
    assert not torch.equal(attn(x), attn(x))
    attn.eval()
    assert torch.equal(attn(x), attn(x))


def test_a_mask_that_could_mean_texts_or_heads_is_refused():
    attn = MultiHeadAttention(d_model=8, n_heads=2)
    visible = torch.ones(2, 5, 5).bool().tril()
    with pytest.raises(ValueError, match=r"visible must have 2 axes .* got shape \(2, 5, 5\)"):
        attn(torch.randn(2, 5, 8), visible)
    assert attn(torch.randn(2, 5, 8), visible[:, None]).shape == (2, 5, 8)


def plain(attn, x, visible):
    """The layer's formula head by head, from its weights alone."""
    n_groups = attn.n_heads // attn.n_kv_heads
    made = []
    for proj, n in (
        (attn.q_proj, attn.n_heads), (attn.k_proj, attn.n_kv_heads), (attn.v_proj, attn.n_kv_heads)
    ):  # fmt: skip
        y = x @ proj.weight.T + (0 if proj.bias is None else proj.bias)
        made.append(y.view(*x.shape[:2], n, -1))
    q, k, v = made
    if attn.qk_norm:
        q, k = (y / (y.square().mean(-1, keepdim=True) + 1e-6).sqrt() for y in (q, k))
    outputs = []
    for head in range(attn.n_heads):
        group = head // n_groups
        scores = q[:, :, head] @ k[:, :, group].mT / math.sqrt(q.shape[-1])
        probs = scores.masked_fill(~visible, -torch.inf).softmax(-1)
        outputs.append(probs @ v[:, :, group])
    z = torch.cat(outputs, dim=-1) @ attn.out_proj.weight.T
    return z if attn.out_proj.bias is None else z + attn.out_proj.bias


@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
@pytest.mark.parametrize("qk_norm", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_self_attention_equals_the_formula_with_and_without_gradients(bias, qk_norm, n_kv_heads):
    attn = MultiHeadAttention(10, 4, 3, n_kv_heads=n_kv_heads, bias=bias, qk_norm=qk_norm).double()
    assert all((p.bias is not None) == bias for p in (attn.q_proj, attn.v_proj, attn.out_proj))
    x = torch.randn(2, 5, 10, dtype=torch.float64, requires_grad=True)
    visible = causal_mask(5)
    expected = plain(attn, x, visible)
    torch.testing.assert_close(attn(x, visible), expected, rtol=1e-11, atol=1e-12)
    torch.testing.assert_close(attn(x, visible, x), expected, rtol=1e-11, atol=1e-12)
    with torch.no_grad():
        torch.testing.assert_close(attn(x, visible), expected, rtol=1e-11, atol=1e-12)
    leaves, upstream = [x, *attn.parameters()], torch.randn_like(expected)
    for ours, theirs in zip(
        torch.autograd.grad(attn(x, visible), leaves, upstream),
        torch.autograd.grad(expected, leaves, upstream), strict=True,
    ):  # fmt: skip
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-11)


def test_with_qk_norm_no_score_exceeds_the_root_of_the_width():
    x = 50 * torch.randn(2, 7, 8)
    normed, free = (MultiHeadAttention(8, 2, qk_norm=wanted) for wanted in (True, False))
    free.load_state_dict(normed.state_dict())
    assert normed.attend(x).scores.abs().max() <= 2 + 1e-5  # sqrt(4)
    assert free.attend(x).scores.abs().max() > 10


@pytest.mark.parametrize("name", ["bias", "qk_norm"])
def test_a_switch_that_is_none_is_named(name, as_shipped):
    with pytest.raises(TypeError, match=f"{name} must be True or False, got 1"):
        as_shipped(MultiHeadAttention.__init__)(MultiHeadAttention.__new__(MultiHeadAttention),
                                                8, 2, **{name: 1})
