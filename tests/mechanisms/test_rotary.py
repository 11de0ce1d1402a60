import math

import pytest
import torch
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as turn_adjacent
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as turn_halves

from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.rotary import Rotary

both = pytest.mark.parametrize("pairing", ["adjacent", "halves"])


def _angles(positions, width, base=10_000.0):
    return torch.tensor(
        [[p / base ** (2 * i / width) for i in range(width // 2)] for p in positions.tolist()],
        dtype=torch.float64,
    )


def _published(pairing, x, positions):
    """What the published implementations make of x [batch, head, seq, d_head]."""
    angles = _angles(positions, x.shape[-1])
    if pairing == "halves":
        cos, sin = (torch.cat([wave, wave], -1)[None] for wave in (angles.cos(), angles.sin()))
        return turn_halves(x, x, cos, sin)[0]
    waves = angles.sin()[None], angles.cos()[None]
    return turn_adjacent(x.transpose(1, 2), *waves).transpose(1, 2)


@both
def test_values_and_gradients_equal_the_published_ones(pairing):
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64, requires_grad=True)
    positions = torch.tensor([0, 3, 1, 8191, 700])
    actual, expected = Rotary(pairing=pairing)(x, positions), _published(pairing, x, positions)
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-11)
    upstream = torch.randn_like(actual)
    torch.testing.assert_close(
        torch.autograd.grad(actual, x, upstream), torch.autograd.grad(expected, x, upstream)
    )


@both
def test_float32_vectors_are_turned_right_at_position_8191(pairing):
    x = torch.randn(6, 64)
    positions = torch.full((6,), 8191)
    exact = Rotary(pairing=pairing)(x.double(), positions)
    assert (Rotary(pairing=pairing)(x, positions) - exact).abs().max() < 2e-6


@both
def test_scores_see_the_distance_alone_and_lengths_stay(pairing):
    turn = Rotary(base=500.0, pairing=pairing)
    q, k = torch.randn(2, 1, 10, dtype=torch.float64)
    starts = torch.arange(0, 900, 7)
    later = turn(q.expand(len(starts), -1), starts + 13)
    scores = (later * turn(k.expand(len(starts), -1), starts)).sum(-1)
    assert scores.std() < 1e-11
    other = (later * turn(k.expand(len(starts), -1), starts + 5)).sum(-1)
    assert abs(scores.mean() - other.mean()) > 1e-3
    torch.testing.assert_close(later.norm(dim=-1), q.norm(dim=-1).expand(len(starts)))


def test_the_two_pairings_are_one_up_to_the_order_of_entries():
    x, positions = torch.randn(5, 6, dtype=torch.float64), torch.arange(5)
    order = torch.tensor([0, 2, 4, 1, 3, 5])  # the first of every pair, then the second
    adjacent = Rotary()(x, positions)[:, order]
    torch.testing.assert_close(adjacent, Rotary(pairing="halves")(x[:, order], positions))


def test_a_text_may_have_positions_of_its_own():
    x = torch.randn(2, 4, 6)
    positions = torch.tensor([[0, 1, 2, 3], [5, 5, 6, 9]])
    turned = Rotary()(x, positions)
    for text in range(2):
        torch.testing.assert_close(turned[text], Rotary()(x[text], positions[text]))


def test_attention_with_it_sees_order_but_not_where_the_text_begins():
    attn = MultiHeadAttention(8, 2, rotary=Rotary()).double()
    x, visible = torch.randn(3, 5, 8, dtype=torch.float64), causal_mask(5)
    torch.testing.assert_close(attn(x, visible), attn(x, visible, position_ids=torch.arange(5)))
    later = attn(x, visible, position_ids=torch.arange(5) + 40)
    torch.testing.assert_close(later, attn(x, visible))
    stretched = attn(x, visible, position_ids=2 * torch.arange(5))
    assert not torch.allclose(stretched, attn(x, visible))
    order = torch.tensor([0, 2, 1, 4, 3])
    assert not torch.allclose(attn(x[:, order]), attn(x)[:, order])


def test_attention_turns_queries_and_keys_and_not_values():
    rotary = Rotary(pairing="halves")
    attn = MultiHeadAttention(8, 2, rotary=rotary).double()
    x, source = (torch.randn(3, n, 8, dtype=torch.float64) for n in (5, 7))
    q, k, v = (
        layer(given).unflatten(-1, (2, 4)).transpose(1, 2)
        for layer, given in ((attn.q_proj, x), (attn.k_proj, source), (attn.v_proj, source))
    )
    z = torch.nn.functional.scaled_dot_product_attention(
        _published("halves", q, torch.arange(5) + 2), _published("halves", k, torch.arange(7)), v
    )
    torch.testing.assert_close(attn.attend(x, None, source, torch.arange(5) + 2).z, z)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ship: ship(Rotary)(base=0.0), "base must be > 0, got 0.0"),
        (lambda ship: ship(Rotary)(base=math.inf), "base must be a finite number"),
        (lambda ship: ship(Rotary)(pairing="pairs"), "pairing must be one of .*, got 'pairs'"),
        (
            lambda ship: ship(Rotary.__call__)(Rotary(), torch.zeros(4, 5), torch.arange(4)),
            "width must be even",
        ),
        (
            lambda ship: ship(Rotary.__call__)(Rotary(), torch.zeros(4, 6), torch.arange(3)),
            r"position_ids must hold one num",
        ),
        (
            lambda ship: ship(Rotary.__call__)(
                Rotary(), torch.zeros(4, 6), torch.zeros(2, 4).int()
            ),
            r"shape \(4,\), got \(2, 4",
        ),
        (
            lambda ship: ship(MultiHeadAttention)(9, 3, rotary=Rotary()),
            "d_head must be even.*got 3",
        ),
    ],
)
def test_bad_input_is_named(call, message, as_shipped):
    with pytest.raises(ValueError, match=message):
        call(as_shipped)


@both
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_all_heads_at_once_are_turned_as_one_by_one(pairing, dtype):
    turn, positions = Rotary(pairing=pairing), torch.tensor([[0, 3, 8191], [5, 5, 2]])
    x = torch.randn(2, 3, 5, 8).to(dtype)[..., :6].requires_grad_()  # [batch, seq, head, d_head]
    expected = torch.stack([turn(x[:, :, head], positions) for head in range(5)], dim=2)
    actual = turn.at_once(x, positions)
    assert actual.dtype == dtype
    exact = dict(rtol=1e-12, atol=1e-12) if dtype == torch.float64 else {}
    torch.testing.assert_close(actual, expected, **exact)
    upstream = torch.randn_like(expected)
    torch.testing.assert_close(
        torch.autograd.grad(actual, x, upstream), torch.autograd.grad(expected, x, upstream),
        **exact,
    )  # fmt: skip
