"""Answers to lesson 24 as learners write them, and what the course's own mechanisms give."""

import math

import pytest
import torch

from course_lib.checks import lesson_24
from course_lib.checks.lesson_24.rotary_attention_mistakes import turned_by
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.positions import shift_matrix, sinusoidal_positions
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
    table = sinusoidal_positions(30, 8, dtype=torch.float64)
    for start, end in ((0, 5), (7, 12), (29, 2)):
        found = lesson_24.matrix_between.reference(table[start], table[end])
        torch.testing.assert_close(found, shift_matrix(end - start, 8))


def test_other_right_ways_pass():
    def by_angle(now, later):
        b = torch.atan2(later[0::2], later[1::2]) - torch.atan2(now[0::2], now[1::2])
        turn = lambda b: torch.tensor([[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]])  # noqa: E731
        return torch.block_diag(*(turn(t.item()).to(now) for t in b))

    def by_complex(x, position_ids, base):
        d = x.shape[-1]
        angles = position_ids[:, None] / base ** (torch.arange(0, d, 2).double() / d)
        turns = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2).to(x)

    def keys_by_the_difference(q, k, v, angles):
        rows = zip(q.unbind(-2), angles, strict=True)
        scores = [(row[..., None, :] * turned_by(k, angles - own)).sum(-1) for row, own in rows]
        probs = (torch.stack(scores, dim=-2) / q.size(-1) ** 0.5).softmax(-1)
        return probs @ v, probs

    assert lesson_24.matrix_between.judge(by_angle).passed
    assert lesson_24.rotate.judge(by_complex).passed
    assert lesson_24.repair_rotary.judge(keys_by_the_difference).passed


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("exercise", [lesson_24.matrix_between, lesson_24.rotate], ids=str)
def test_one_dtype_for_all_is_told_that_it_follows_the_input(exercise, dtype):
    outcome = exercise.judge(lambda *inputs: exercise.reference(*inputs).to(dtype))
    assert outcome.kind == "failed" and str(dtype) in outcome.message
    assert "as the input is" in outcome.message


def _theta(d, base, dtype):
    return 1 / torch.tensor(base, dtype=dtype) ** (torch.arange(0, d, 2, dtype=dtype) / d)


@pytest.mark.parametrize(
    "angles",
    [
        lambda ids, d, base: ids[:, None] * _theta(d, base, torch.float32),
        lambda ids, d, base: ids[:, None].float() * _theta(d, base, torch.float64).float(),
        lambda ids, d, base: torch.outer(
            ids.float(), torch.exp(torch.arange(0, d, 2) * (-math.log(base) / d))
        ),
    ],
    ids=["theta", "product", "by exp"],
)
def test_angles_in_float32_are_named_however_they_are_worked_out(angles):
    def rotate(x, position_ids, base):
        turns = angles(position_ids, x.shape[-1], base)
        return turned_by(x, turns.double()).to(x)

    outcome = lesson_24.rotate.judge(rotate)
    assert outcome.mistake == "angles in float32" and "8191" in outcome.message


def test_wrong_signs_in_float32_are_told_about_the_signs():
    def rotate(x, position_ids, base):
        theta = base ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        return turned_by(x, -position_ids[:, None] * theta).to(x)

    assert lesson_24.rotate.judge(rotate).mistake == "turns backwards"


@pytest.mark.parametrize(
    "cut", [lambda x: (x[:, 0::2], x[:, 1::2]), lambda x: (x.T[0::2].T, x.T[1::2].T)]
)
@pytest.mark.filterwarnings("ignore:The use of `x.T`")
def test_an_answer_for_matrices_alone_is_told_about_leading_axes(cut):
    def rotate(x, position_ids, base):
        d = x.shape[1]
        angles = position_ids[:, None] * base ** (-torch.arange(0, d, 2).double() / d)
        (a, b), c, s = cut(x), angles.cos(), angles.sin()
        return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2).to(x)

    outcome = lesson_24.rotate.judge(rotate)
    assert outcome.mistake == "no leading axes" and "x.shape[-1]" in outcome.message


def test_the_first_case_of_each_mechanism_shows_its_numbers():
    outcome = lesson_24.rotate.judge(lambda x, ids, base: x + 1)
    assert "position_ids = [2]" in outcome.details and "a tensor of" not in outcome.details


def test_two_mistakes_at_once_are_not_taken_for_one():
    wrong = lambda x, ids, base: Rotary(base, "halves")(x, -ids - 1)  # noqa: E731
    outcome = lesson_24.rotate.judge(wrong)
    assert outcome.kind == "failed" and not outcome.mistake
