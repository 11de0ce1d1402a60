"""Lesson 24, first exercise: the matrix that moves on, read off two positions' vectors."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_24.matrix_between_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(now, later):
    """M that moves every position on by as much as `later` is after `now`; both are [d]."""
    raise NotImplementedError


def _solution(now, later):
    M = torch.zeros(len(now), len(now), dtype=now.dtype)
    for i in range(0, len(now), 2):
        (sin_a, cos_a), (sin_e, cos_e) = now[i : i + 2], later[i : i + 2]
        c = cos_e * cos_a + sin_e * sin_a  # cos(e - a)
        s = sin_e * cos_a - cos_e * sin_a  # sin(e - a)
        M[i, i], M[i, i + 1] = c, s
        M[i + 1, i], M[i + 1, i + 1] = -s, c
    return M


def _case(position: int, offset: int, theta: list[float], dtype: torch.dtype) -> Case:
    angles = torch.tensor([[position], [position + offset]]) * torch.tensor(theta).double()
    now, later = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(dtype)
    return Case({"now": now, "later": later})


matrix_between = Exercise(
    name="lesson_24.matrix_between",
    task=(
        "Somebody hands you the vectors of two positions, $(\\sin p\\theta_0, \\cos p\\theta_0, "
        "\\sin p\\theta_1, \\cos p\\theta_1, \\dots)$ and the same for $p + k$, and tells you "
        "neither $p$ nor $k$ nor any $\\theta_i$. Write `matrix_between(now, later)`: the matrix "
        "$M$ with $PE(q + k) = M\\,PE(q)$ at **every** position $q$, and not only at $q = p$. "
        "`now` and `later` have shape `[d]`; $M$ has shape `[d, d]` and their dtype."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "A pair stands at the angle $a$ in `now` and at $e$ in `later`, and the matrix needs "
        "$\\cos b$ and $\\sin b$ of the turn $b = e - a$. The addition theorems give both from "
        "what is there: $\\cos(e - a) = \\cos e \\cos a + \\sin e \\sin a$ and $\\sin(e - a) = "
        "\\sin e \\cos a - \\cos e \\sin a$. No angle has to be worked out, so no arc cosine has "
        "to guess the direction. Many matrices take this one `now` to this one `later`; only the "
        "rotation of each pair goes on being right at other positions."
    ),
    cases=(
        _case(1, 2, [0.9, 0.4], torch.float64),
        _case(5, 3, [1.0, 0.31, 0.05], torch.float64),
        _case(9, -4, [0.7, 0.2, 0.05, 0.3], torch.float64),
        _case(0, 7, [1.0, 0.31, 0.12, 0.02, 0.5], torch.float32),
    ),
    mistakes=MISTAKES,
    hints=(
        "The matrix needs the cosine and the sine of each pair's turn b. If the pair stands at a "
        "before and at e = a + b after, what are cos(e - a) and sin(e - a)?",
        "You need no angle and no theta: products of the four numbers of a pair are enough. Put a "
        "block of 2 x 2 numbers for each pair along the diagonal of a matrix of zeros.",
        "```python\nM = torch.zeros(len(now), len(now), dtype=now.dtype)\n"
        "for i in range(0, len(now), 2):\n"
        "    (sin_a, cos_a), (sin_e, cos_e) = now[i : i + 2], later[i : i + 2]\n"
        "    c = ...               # cos(e - a)\n"
        "    s = ...               # sin(e - a)\n"
        "    M[i, i] = ...         # factor of sin a in sin(a + b)\n"
        "    M[i, i + 1] = ...     # factor of cos a in sin(a + b)\n"
        "    ...                   # the same for cos(a + b)\n"
        "return M\n```",
    ),
    returns=("the matrix",),
)
