import pytest
import torch

from course_lib.config import GPTConfig
from course_lib.experiments.head_outputs import (
    all_heads,
    head_outputs,
    head_readers,
    head_writers,
    score_ranks,
    torch_twin,
    without_heads,
)
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.masks import causal_mask
from course_lib.models.gpt import GPT


@pytest.fixture
def attn():
    torch.manual_seed(0)
    return MultiHeadAttention(10, 3, d_head=4).double()


def small_model():
    torch.manual_seed(1)
    return GPT(GPTConfig(7, 5, 12, n_layers=2, n_heads=3, init_std=0.3))


@pytest.mark.parametrize("visible", [None, causal_mask(5)])
def test_outputs_of_the_heads_add_up_to_the_layer(attn, visible):
    x = torch.randn(2, 5, 10, dtype=torch.float64)
    parts = head_outputs(attn, x, visible)
    assert parts.shape == (2, 3, 5, 10)
    total = parts.sum(dim=-3) + attn.out_proj.bias
    torch.testing.assert_close(total, attn(x, visible), rtol=0, atol=1e-13)


def test_gradients_of_the_sum_are_those_of_the_layer(attn):
    x = torch.randn(2, 5, 10, dtype=torch.float64)
    names, weights = zip(*attn.named_parameters(), strict=True)
    total = (head_outputs(attn, x).sum(dim=-3) + attn.out_proj.bias).square().sum()
    ours = torch.autograd.grad(total, weights)
    theirs = torch.autograd.grad(attn(x).square().sum(), weights)
    for name, one, other in zip(names, ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9, msg=name)


def test_pieces_of_the_matrices_make_the_same_head(attn):
    x = torch.randn(5, 10, dtype=torch.float64)
    head, d_head = 2, 4
    rows = slice(head * d_head, (head + 1) * d_head)
    q, k, v = (
        x @ head_readers(attn, kind)[head] + getattr(attn, f"{kind}_proj").bias[rows]
        for kind in "qkv"
    )
    z = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(z @ head_writers(attn)[head], head_outputs(attn, x)[head])


def test_a_silenced_head_adds_nothing_and_the_others_stay():
    model = small_model()
    before = {name: p.clone() for name, p in model.state_dict().items()}
    silenced = without_heads(model, (1, 2))
    assert all(torch.equal(before[name], p) for name, p in model.state_dict().items())
    x = torch.randn(1, 5, 12)
    old, new = (head_outputs(m.blocks[1].attn, x) for m in (model, silenced))
    assert (new[:, 2] == 0).all() and (old[:, 2] != 0).any()
    assert torch.equal(new[:, :2], old[:, :2])
    assert torch.equal(*(head_outputs(m.blocks[0].attn, x) for m in (model, silenced)))


def test_no_head_at_all_is_the_model_without_attention():
    model = small_model()
    ids = torch.tensor([[1, 2, 3]])
    silenced = without_heads(model, *all_heads(model))
    one, other = silenced(ids), silenced(torch.tensor([[4, 0, 3]]))
    assert torch.equal(one[:, -1], other[:, -1])  # what came before is not seen any more
    assert not torch.equal(model(ids)[:, -1], model(torch.tensor([[4, 0, 3]]))[:, -1])


def test_pytorch_s_own_layer_agrees_in_values_and_gradients():
    torch.manual_seed(2)
    attn = MultiHeadAttention(12, 3).double()
    twin = torch_twin(attn)
    x = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
    visible = causal_mask(5)
    ours, theirs = attn(x, visible), twin(x, x, x, attn_mask=~visible)[0]
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-13)
    leaves = (x, attn.q_proj.weight, attn.v_proj.bias, attn.out_proj.weight)
    their_leaves = (x, twin.in_proj_weight, twin.in_proj_bias, twin.out_proj.weight)
    mine = torch.autograd.grad(ours.square().sum(), leaves)
    other = torch.autograd.grad(theirs.square().sum(), their_leaves)
    for one, two in zip(mine, (other[0], other[1][:12], other[2][24:], other[3]), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-9, atol=1e-9)


def test_pytorch_s_layer_knows_no_heads_of_another_width(attn):
    with pytest.raises(ValueError, match="attn must have heads that fill the width 10, got 12"):
        torch_twin(attn)


@pytest.mark.parametrize(("n_heads", "rank"), [(2, 9), (4, 8), (16, 2)])
def test_scores_have_the_rank_of_the_head_and_shares_more(n_heads, rank):
    scores, probs = score_ranks(n_heads, d_model=32, n_positions=9)
    assert scores == [rank] * n_heads and probs == [9] * n_heads


def test_heads_are_named_in_order():
    assert all_heads(small_model()) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_heads_that_are_not_there_are_named(attn):
    with pytest.raises(ValueError, match="layer must be below 2, got 2"):
        without_heads(small_model(), (2, 0))
    with pytest.raises(ValueError, match="head must be below 3, got 3"):
        without_heads(small_model(), (0, 3))
    with pytest.raises(ValueError, match="head must be a whole number >= 0, got -1"):
        without_heads(small_model(), (0, -1))
    with pytest.raises(ValueError, match='kind must be "q", "k" or "v", got \'o\''):
        head_readers(attn, "o")
