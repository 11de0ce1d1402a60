"""Lesson 23's exercises: other right ways pass, and the library's own functions do."""

import torch

from course_lib.checks.lesson_23 import head_contributions, join_heads, silence_head
from course_lib.mechanisms.attention import MultiHeadAttention, merge_heads


def test_other_right_ways_to_join_heads():
    for right in (
        merge_heads,
        lambda z: z.transpose(1, 2).contiguous().view(z.shape[0], z.shape[2], -1),
        lambda z: torch.cat(list(z.unbind(1)), dim=-1),
        lambda z: z.permute(0, 2, 1, 3).reshape(z.shape[0], z.shape[2], -1),
    ):
        assert join_heads.judge(right).passed


def test_other_right_ways_to_add():
    def by_slices(z, out_weight):
        d = z.shape[-1]
        pieces = [out_weight[:, i * d : (i + 1) * d] for i in range(len(z))]
        return torch.stack([mix @ piece.T for mix, piece in zip(z, pieces, strict=True)])

    def by_einsum(z, out_weight):
        cut = out_weight.unflatten(1, (z.shape[0], -1))
        return torch.einsum("hsd,mhd->hsm", z, cut)

    assert head_contributions.judge(by_slices).passed
    assert head_contributions.judge(by_einsum).passed


def test_other_right_ways_to_silence():
    def by_mask(out_weight, n_heads, head):
        keep = torch.ones(n_heads, out_weight.shape[1] // n_heads)
        keep[head] = 0
        return out_weight * keep.flatten()

    def by_axes(out_weight, n_heads, head):
        cut = out_weight.clone().unflatten(1, (n_heads, -1))
        cut[:, head] = 0
        return cut.flatten(1)

    assert silence_head.judge(by_mask).passed
    assert silence_head.judge(by_axes).passed


def test_silencing_the_weight_itself_is_named():
    def in_place(out_weight, n_heads, head):
        d_head = out_weight.shape[1] // n_heads
        out_weight[:, head * d_head : (head + 1) * d_head] = 0
        return out_weight

    outcome = silence_head.judge(in_place)
    assert outcome.kind == "failed" and "changes its input `out_weight`" in outcome.message


def test_solutions_do_to_a_layer_what_they_say():
    torch.manual_seed(0)
    attn = MultiHeadAttention(8, 3, d_head=4)
    x = torch.randn(5, 8)
    z = attn.attend(x).z  # [head, seq, d_head]
    parts = head_contributions.reference(z, attn.out_proj.weight)
    torch.testing.assert_close(parts.sum(dim=0) + attn.out_proj.bias, attn(x))
    before = attn(x)
    with torch.no_grad():
        attn.out_proj.weight.copy_(silence_head.reference(attn.out_proj.weight, 3, 1))
    torch.testing.assert_close(attn(x), before - parts[1])
