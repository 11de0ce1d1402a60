"""Answers to lesson 24 as learners write them, and what the course's own mechanisms give."""

import math

import torch

from course_lib.checks import lesson_24
from course_lib.checks.lesson_24.rotary_attention_mistakes import turned_by
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.positions import shift_matrix
from course_lib.mechanisms.rotary import Rotary


def test_the_course_s_own_mechanisms_pass():
    rotate = lambda x, ids, base: Rotary(base)(x, ids)  # noqa: E731
    assert lesson_24.rotate.judge(rotate).passed

    def attention(q, k, v, angles):
        # The first pair turns by its position, in radians.
        turns = [turned_by(x, angles) for x in (q, k)]
        out = scaled_dot_product_attention(*turns, v)
        return out.z, out.probs

    assert lesson_24.repair_rotary.judge(attention).passed


def test_the_matrix_of_the_exercise_is_that_of_the_library():
    theta = 10_000.0 ** (-torch.arange(0, 8, 2).double() / 8)
    torch.testing.assert_close(lesson_24.rotation_matrix.reference(5, theta), shift_matrix(5, 8))


def test_other_right_ways_pass():
    def by_kronecker(offset, theta):
        turn = lambda b: torch.tensor([[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]])  # noqa: E731
        return torch.block_diag(*(turn(offset * t.item()).to(theta) for t in theta))

    def by_complex(x, position_ids, base):
        d = x.shape[-1]
        theta = base ** (-torch.arange(0, d, 2) / d)
        turns = torch.polar(torch.ones(len(position_ids), d // 2), position_ids[:, None] * theta)
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2)

    def keys_by_the_difference(q, k, v, angles):
        rows = zip(q.unbind(-2), angles, strict=True)
        scores = [(row[..., None, :] * turned_by(k, angles - own)).sum(-1) for row, own in rows]
        probs = (torch.stack(scores, dim=-2) / q.size(-1) ** 0.5).softmax(-1)
        return probs @ v, probs

    assert lesson_24.rotation_matrix.judge(by_kronecker).passed
    assert lesson_24.rotate.judge(by_complex).passed
    assert lesson_24.repair_rotary.judge(keys_by_the_difference).passed


def test_a_float32_matrix_is_told_its_dtype():
    outcome = lesson_24.rotation_matrix.judge(
        lambda offset, theta: lesson_24.rotation_matrix.reference(offset, theta).float()
    )
    assert outcome.kind == "failed" and "float32" in outcome.message


def test_two_mistakes_at_once_are_not_taken_for_one():
    wrong = lambda x, ids, base: Rotary(base, "halves")(x, -ids - 1)  # noqa: E731
    outcome = lesson_24.rotate.judge(wrong)
    assert outcome.kind == "failed" and not outcome.mistake
