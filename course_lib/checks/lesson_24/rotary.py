"""Lesson 24, second exercise: turn queries and keys by their positions."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_24.rotary_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, position_ids, base):
    """Rotary positions, adjacent pairs: x [..., seq, d] turned row by row."""
    raise NotImplementedError


def _solution(x, position_ids, base):
    d = x.shape[-1]
    theta = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)  # one for each pair
    angles = position_ids[:, None] * theta  # [seq, d/2]
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]  # [..., seq, d/2]
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(-2).to(x.dtype)  # [..., seq, d]


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(24)

    def case(*shape: int, positions: list[int], base: float, dtype=torch.float64, extreme=0):
        x = torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)
        inputs = {"x": x, "position_ids": torch.tensor(positions), "base": base}
        return Case(inputs, extreme=extreme)

    return (
        case(1, 4, positions=[2], base=100.0),  # few enough numbers to be shown
        case(3, 4, positions=[0, 1, 2], base=100.0),
        case(2, 6, positions=[5, 3], base=10_000.0),
        case(2, 5, 8, positions=[9, 4, 2, 17, 30], base=500.0),
        case(3, 2, 4, 10, positions=[1, 1, 0, 2], base=10_000.0, dtype=torch.float32),
        # Angles in float32 are right to 6e-8 of themselves, which shows in the fast pairs here.
        case(2, 3, 12, positions=[8191, 0, 6007], base=10_000.0, extreme=1),
    )


rotate = Exercise(
    name="lesson_24.rotate",
    task=(
        "Write `rotate(x, position_ids, base)`: rotary positions with neighbours as pairs. `x` "
        "has shape `[..., seq, d]` with any leading axes, `position_ids` holds the position of "
        "each of the `seq` rows. In the row of position $p$, pair $i$ (entries $2i$ and $2i + 1$) "
        "turns by the angle $p\\,\\theta_i$ with $\\theta_i = base^{-2i/d}$, so that $(1, 0)$ "
        "becomes $(\\cos p\\theta_i, \\sin p\\theta_i)$. Return a tensor of the shape and dtype "
        "of `x`; it has to be right at position 8191, too."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Two steps. The angles: an outer product of positions and frequencies, `[seq, d/2]`, which "
        "broadcasts over batch and heads. The rotation: $(a, b)$ becomes $(a \\cos - b \\sin, "
        "a \\sin + b \\cos)$, and each turned pair goes back to the place it came from. The angles "
        "are worked out in float64, because at position 8191 float32 has spent 13 of its 24 "
        "digits before the point."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "Which angle belongs to the row of position 5 and its first pair? And to its second?",
        "Make a table of angles first, one row for each position and one column for each pair. "
        "Then cut x into its first and second entries of each pair, `x[..., 0::2]` and "
        "`x[..., 1::2]`, which are as wide as that table.",
        "```python\nd = x.shape[-1]\n"
        "theta = ...                            # [d/2], the first one is 1\n"
        "angles = position_ids[:, None] * ...   # [seq, d/2]\n"
        "first, second = x[..., 0::2], x[..., 1::2]\n"
        "turned = torch.stack([..., ...], dim=-1)   # a pair on the last axis\n"
        "return ...                             # shape and dtype of x\n```",
    ),
    returns=("the turned tensor",),
    rtol=1e-5,
)
