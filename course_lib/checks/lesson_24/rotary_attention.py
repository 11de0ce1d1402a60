"""Lesson 24, third exercise: attention that turns one thing too many."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_24.rotary_attention_mistakes import MISTAKES
from course_lib.checks.run import Case


def broken_rotary_attention(q, k, v, angles):
    """Attention with rotary positions; move all positions on, and its output changes."""

    def turn(x):
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angles), torch.sin(angles)
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    q, k, v = turn(q), turn(k), turn(v)
    probs = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


def _solution(q, k, v, angles):
    def turn(x):
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angles), torch.sin(angles)
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    q, k = turn(q), turn(k)  # the scores see distances; the values stay as they are
    probs = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(24)

    def case(*leading: int, seq: int, d_head: int, first: int, d_value: int | None = None) -> Case:
        widths = {"q": d_head, "k": d_head, "v": d_value or d_head}
        vectors = {
            name: torch.randn(*leading, seq, width, generator=generator, dtype=torch.float64)
            for name, width in widths.items()
        }
        theta = 50.0 ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        angles = torch.arange(first, first + seq)[:, None] * theta
        return Case({**vectors, "angles": angles}, extreme=int(d_value is not None))

    return (
        case(seq=3, d_head=4, first=0),
        case(2, seq=5, d_head=8, first=3),
        case(3, 2, seq=4, d_head=6, first=11),
        # Values of another width than the keys cannot be turned by the same angles.
        case(2, seq=3, d_head=8, first=2, d_value=5),
    )


repair_rotary = Exercise(
    name="lesson_24.repair_rotary",
    task=(
        "The function above runs, but its output changes when every position moves on by the same "
        "number, and values of another width than the keys stop it. Repair it, so that position "
        "enters through the offset from query to key alone. "
        "`angles` has shape `[seq, d/2]`: the angle of each pair at each position. Return the "
        "outputs and the probabilities."
    ),
    stub=broken_rotary_attention,
    reference=_solution,
    explanation=(
        "A score is a product of a query and a key, so exactly these two are turned, both the same "
        "way: turning by $a$ and by $b$ leaves the difference $a - b$ in their product. The values "
        "never meet in a product with anything that is turned. Turned values would leave their "
        "absolute position in the output."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "Which two of the three have to know their position, so that a score can depend on the "
        "distance?",
        "What attention hands over should be the same vector wherever its word stands. One line "
        "turns something that should stay as it is.",
        "```python\nq, k = ..., ...\n"
        "probs = ...      # as it was\n"
        "return probs @ v, probs\n```",
    ),
    returns=("the outputs", "the probabilities"),
)
