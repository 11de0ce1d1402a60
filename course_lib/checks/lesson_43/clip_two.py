"""Lesson 43: clip the gradients of a matrix and a vector by their common norm."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(matrix, vector, max_norm):
    """The two gradients, clipped together; unchanged when their norm is not finite."""
    raise NotImplementedError


def _solution(matrix, vector, max_norm):
    norm = (matrix.square().sum() + vector.square().sum()).sqrt()
    if not torch.isfinite(norm) or norm <= max_norm:
        return matrix, vector
    return matrix * (max_norm / norm), vector * (max_norm / norm)


def _together(norm):
    """Clipping with another norm of both, which leaves what is not finite alone."""

    def wrong(matrix, vector, max_norm):
        n = norm(matrix, vector)
        if not torch.isfinite(n) or n <= max_norm:
            return matrix, vector
        return matrix * (max_norm / n), vector * (max_norm / n)

    return wrong


def _root(matrix, vector):
    return (matrix.square().sum() + vector.square().sum()).sqrt()


def _each(matrix, vector, max_norm):
    """Every tensor by its own norm."""
    return tuple(
        g * (max_norm / g.norm()) if g.norm() > max_norm and torch.isfinite(g.norm()) else g
        for g in (matrix, vector)
    )


def _each_unless_broken(matrix, vector, max_norm):
    """Every tensor by its own norm, after a look at the common one."""
    if not torch.isfinite(_root(matrix, vector)):
        return matrix, vector
    return _each(matrix, vector, max_norm)


def _each_spread(matrix, vector, max_norm):
    """Every tensor by its own norm, without a look."""
    return tuple(g * (max_norm / g.norm()).clamp(max=1.0) for g in (matrix, vector))


def _by_rows(matrix, vector, max_norm):
    norm = (matrix.square().sum(-1, keepdim=True) + vector.square().sum()).sqrt()
    scale = (max_norm / norm).clamp(max=1.0)
    return matrix * scale, vector * scale.mean()


def _always(matrix, vector, max_norm):
    """Brought to the length, also when shorter."""
    n = _root(matrix, vector)
    if not torch.isfinite(n) or n == 0:
        return matrix, vector
    return matrix * (max_norm / n), vector * (max_norm / n)


def _always_without_looking(matrix, vector, max_norm):
    """Brought to the length, also when shorter, 0 or not finite."""
    scale = max_norm / _root(matrix, vector)
    return matrix * scale, vector * scale


def _always_if_finite(matrix, vector, max_norm):
    """Brought to the length, also when shorter or 0."""
    if not torch.isfinite(_root(matrix, vector)):
        return matrix, vector
    return _always_without_looking(matrix, vector, max_norm)


def _mean_each(matrix, vector):
    """The root of the mean squares, added up."""
    return (matrix.square().mean() + vector.square().mean()).sqrt()


def _spread(matrix, vector, max_norm):
    """Right, but for what is not finite."""
    scale = (max_norm / _root(matrix, vector)).clamp(max=1.0)
    return matrix * scale, vector * scale


def _zeroed(matrix, vector, max_norm):
    n = _root(matrix, vector)
    if not torch.isfinite(n):
        return torch.zeros_like(matrix), torch.zeros_like(vector)
    return _solution(matrix, vector, max_norm)


def _cleaned(matrix, vector, max_norm):
    return _solution(*(torch.nan_to_num(g, 0.0, 0.0, 0.0) for g in (matrix, vector)), max_norm)


def _to_one(matrix, vector, max_norm):
    n = _root(matrix, vector)
    return _solution(matrix, vector, max_norm) if n <= max_norm else (matrix / n, vector / n)


def _upside_down(matrix, vector, max_norm):
    n = _root(matrix, vector)
    if not torch.isfinite(n) or n <= max_norm:
        return matrix, vector
    return matrix * (n / max_norm), vector * (n / max_norm)


def _matrix_alone(matrix, vector, max_norm):
    return _solution(matrix, vector, max_norm)[0], vector


_EACH = (
    "You clip each tensor by its own norm. The two are shortened by different factors then, so "
    "together they point somewhere else. One norm for both is wanted."
)
_ALL = (
    "You bring every gradient to the length `max_norm`, short ones too. Only those that are "
    "longer are to be changed."
)

_MISTAKES = (
    Mistake(
        "each by its own norm",
        _each,
        f"{_EACH} That one also tells whether anything at all is not finite.",
    ),
    Mistake("each by its own norm, finite ones", _each_unless_broken, _EACH),
    Mistake("each by its own norm, without looking", _each_spread,
            f"{_EACH} Look at it before you multiply."),
    Mistake(
        "each number",
        lambda matrix, vector, c: (matrix.clamp(-c, c), vector.clamp(-c, c)),
        "You cut off each number. That turns the gradient, and it can still be longer than "
        "`max_norm`. All numbers get the same factor.",
    ),
    Mistake(
        "not finite is spread",
        _spread,
        "Right for finite gradients. But with an infinite one the factor is 0, and infinity "
        "times 0 is NaN. Look at the norm first.",
    ),
    Mistake(
        "not finite set to zero",
        _zeroed,
        "You set the gradients to 0 when the norm is not finite. The task leaves them as they are. "
        "(With zeros Adam would still step, by what it remembers.)",
    ),
    Mistake(
        "cleaned of what is not finite",
        _cleaned,
        "You replace what is not finite by 0 and go on. Then the caller never hears that this "
        "batch was broken; leave the gradients as they are.",
    ),
    Mistake("always as long", _always, _ALL),
    Mistake("always as long, without looking", _always_without_looking,
            f"{_ALL} And what is 0 * inf?"),
    Mistake("always as long, finite ones", _always_if_finite, f"{_ALL} What of zeros?"),
    Mistake(
        "to the length 1",
        _to_one,
        "What is too long comes out with length 1. How long is it to be?",
    ),
    Mistake(
        "norms added up",
        _together(lambda m, v: m.norm() + v.norm()),
        "You add up the two norms. Lay all numbers end to end: it is their squares that add up.",
    ),
    Mistake(
        "root forgotten",
        _together(lambda m, v: m.square().sum() + v.square().sum()),
        "You divide by the squared length. Is a root missing?",
    ),
    Mistake(
        "largest of the norms",
        _together(lambda m, v: torch.maximum(m.norm(), v.norm())),
        "You take the larger of the two norms. The length of both together is wanted.",
    ),
    Mistake(
        "mean of squares",
        _together(lambda m, v: torch.cat([m.flatten(), v.flatten()]).square().mean().sqrt()),
        "You take the root of the mean square. The length is the root of the sum.",
    ),
    Mistake(
        "mean of squares of each",
        _together(_mean_each),
        "You take means of squares. The length is the root of their sum.",
    ),
    Mistake(
        "sum of sizes",
        _together(lambda m, v: m.abs().sum() + v.abs().sum()),
        "You add up the absolute values. The length is the root of the sum of squares.",
    ),
    Mistake(
        "largest number",
        _together(lambda m, v: torch.maximum(m.abs().max(), v.abs().max())),
        "You divide by the largest number. The length of all of them together is wanted.",
    ),
    Mistake(
        "spectral norm",
        _together(
            lambda m, v: (torch.linalg.svdvals(m)[0].square() + v.square().sum()).sqrt()
            if torch.isfinite(m).all()
            else m.sum()
        ),
        "`torch.linalg.norm(matrix, 2)` is the largest singular value. What is wanted is the root "
        "of the sum of all squares.",
    ),
    Mistake(
        "a norm for each row",
        _by_rows,
        "You take a norm for each row of the matrix. There is one norm, over all numbers.",
    ),
    Mistake(
        "upside down",
        _upside_down,
        "Your factor is upside down: what is too long becomes longer.",
    ),
    Mistake(
        "the vector left out",
        _matrix_alone,
        "You shorten the matrix alone. Both get the same factor.",
    ),
)


def _case(scale, max_norm, bad=None, rows=2):
    generator = torch.Generator().manual_seed(rows)
    matrix = scale * torch.randn(rows, 3, generator=generator, dtype=torch.float64)
    vector = scale * torch.randn(4, generator=generator, dtype=torch.float64)
    if bad is not None:
        matrix[0, 1] = bad
    return Case({"matrix": matrix, "vector": vector, "max_norm": max_norm}, extreme=bad is not None)


clip_two = Exercise(
    name="lesson_43.clip_two",
    task=(
        "Write `clip_two(matrix, vector, max_norm)`. The first two are gradients. If all their "
        "numbers, laid end to end, are longer than `max_norm`, return both shortened by one "
        "factor, so that together they are `max_norm` long. Otherwise return them as they are; "
        "also when that length is infinite, so that the caller can see it and skip the update. "
        "Change neither argument in place; return two tensors, `matrix` first."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Squares add up over all numbers of all tensors; the root of the sum is the length. One "
        "factor for all keeps the direction. The length has to be looked at before anything is "
        "multiplied: $\\infty \\cdot 0$ is NaN, and with a NaN among the gradients the factor "
        "itself is NaN and goes everywhere."
    ),
    cases=(
        Case({"matrix": torch.tensor([[3.0, 0]]), "vector": torch.tensor([4.0]), "max_norm": 1.0}),
        _case(2.0, 0.7),
        _case(0.1, 2.0),
        _case(5.0, 3.0, rows=5),
        Case({"matrix": torch.zeros(2, 2), "vector": torch.zeros(3), "max_norm": 1.0}),
        _case(1.0, 0.5, bad=math.inf),
        _case(3.0, 0.5, bad=-math.inf, rows=3),
    ),
    mistakes=_MISTAKES,
    hints=(
        "How long is an arrow of which you know all coordinates, and does it matter in which "
        "tensor each of them stands?",
        "Compute one length from both tensors. There are three cases for it: not finite, short "
        "enough, too long.",
        "```python\nnorm = ...\nif ...:\n    return matrix, vector\nscale = ...\n"
        "return ...\n```",
    ),
    returns=("the matrix's gradient", "the vector's gradient"),
)  # fmt: skip
