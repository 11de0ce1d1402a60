"""Lesson 24, first exercise: the matrix that moves every position on by the same offset."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(offset, theta):
    """M with PE(p + offset) = M PE(p), where PE(p) = (sin p theta_0, cos p theta_0, ...)."""
    raise NotImplementedError


def _solution(offset, theta):
    M = torch.zeros(2 * len(theta), 2 * len(theta), dtype=theta.dtype)
    for i in range(len(theta)):
        c, s = torch.cos(offset * theta[i]), torch.sin(offset * theta[i])
        M[2 * i, 2 * i], M[2 * i, 2 * i + 1] = c, s  # sin(a + b) = sin a cos b + cos a sin b
        M[2 * i + 1, 2 * i], M[2 * i + 1, 2 * i + 1] = -s, c  # cos(a + b) = cos a cos b - ...
    return M


def _blocks(angles, block):
    """A matrix with `block(cos, sin)` for each angle along its diagonal."""
    return torch.block_diag(*(block(a.cos(), a.sin()) for a in angles))


def _rows(first, second):
    return torch.stack([torch.stack(first), torch.stack(second)])


def _right(c, s):
    return _rows((c, s), (-s, c))


def _with(angles):
    """The right blocks at other angles."""
    return lambda offset, theta: _blocks(angles(offset, theta), _right)


def _block(block):
    """Other blocks at the right angles."""
    return lambda offset, theta: _blocks(offset * theta, block)


def _halves(offset, theta):
    c, s = (offset * theta).cos().diag(), (offset * theta).sin().diag()
    return torch.cat([torch.cat([c, s], dim=1), torch.cat([-s, c], dim=1)])


def _dense(offset, theta):
    angles = (offset * theta).repeat_interleave(2)
    return torch.cos(angles[:, None] - angles[None, :])


def _only_last(offset, theta):
    M = torch.zeros(2 * len(theta), 2 * len(theta), dtype=theta.dtype)
    M[-2:, -2:] = _right((offset * theta[-1]).cos(), (offset * theta[-1]).sin())
    return M


_MISTAKES = (
    Mistake(
        "shifts back",
        _block(lambda c, s: _rows((c, -s), (s, c))),
        "Your matrix moves back by the offset in place of forward. In each pair the sine stands "
        "first here: which row of the block builds sin(a + b), and where does its plus stand?",
    ),
    Mistake(
        "both signs are plus",
        _block(lambda c, s: _rows((c, s), (s, c))),
        "All four entries of your blocks carry a plus. cos(a + b) has a minus: between which "
        "products?",
    ),
    Mistake(
        "sine and cosine swapped",
        _block(lambda c, s: _rows((s, c), (c, -s))),
        "With an offset of 0 the matrix has to change nothing. What stands on your diagonal then, "
        "cos 0 or sin 0?",
    ),
    Mistake(
        "diagonal alone",
        _block(lambda c, s: _rows((c, 0 * s), (0 * s, c))),
        "Your matrix keeps sines and cosines apart. sin(a + b) needs both sin a and cos a.",
    ),
    Mistake(
        "the offset is missing",
        _with(lambda offset, theta: theta),
        "Your matrix moves on by one position whatever the offset is. By which angle does a pair "
        "turn in `offset` steps?",
    ),
    Mistake(
        "powers of theta",
        _with(lambda offset, theta: theta**offset),
        "You raise theta to the power of the offset. Each step adds theta to the angle, so what "
        "do several steps add?",
    ),
    Mistake(
        "theta taken for turns",
        _with(lambda offset, theta: 2 * math.pi * offset * theta),
        "There is a factor of 2 pi too much. theta is an angle in radians already, not a number "
        "of turns.",
    ),
    Mistake(
        "divided by theta",
        _with(lambda offset, theta: offset / theta),
        "You divide by theta. A fast pair has a large theta: does it turn further in the same "
        "number of steps, or less far?",
    ),
    Mistake(
        "one angle for all",
        _with(lambda offset, theta: (offset * theta[:1]).expand(len(theta))),
        "All your blocks turn by the first pair's angle. Each pair has a theta of its own.",
    ),
    Mistake(
        "pairs in reverse order",
        _with(lambda offset, theta: (offset * theta).flip(0)),
        "Your blocks stand in reverse order: the first pair turns by the last theta.",
    ),
    Mistake(
        "sines in one half, cosines in the other",
        _halves,
        "Your matrix is for a vector with all sines first and all cosines behind them. Here they "
        "alternate: sine and cosine of the same angle are neighbours.",
    ),
    Mistake(
        "pairs mixed",
        _dense,
        "Nearly all of your entries differ from 0. Does the first pair of PE(p + offset) need "
        "anything from the second pair of PE(p)?",
    ),
    Mistake(
        "last block alone",
        _only_last,
        "Only your last block is filled. Is the matrix made anew in each round of the loop, or "
        "are the indices of the block the same each time?",
    ),
)

rotation_matrix = Exercise(
    name="lesson_24.rotation_matrix",
    task=(
        "The vector of position $p$ is $(\\sin p\\theta_0, \\cos p\\theta_0, \\sin p\\theta_1, "
        "\\cos p\\theta_1, \\dots)$. Write `rotation_matrix(offset, theta)`: the matrix $M$ with "
        "$PE(p + offset) = M\\,PE(p)$ at **every** position $p$. `offset` is a whole number, "
        "`theta` a tensor of the angles, one for each pair; $M$ has two rows and two columns for "
        "each of them, and the dtype of `theta`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Write $a = p\\,\\theta_i$ for where the pair stands and $b = offset \\cdot \\theta_i$ for "
        "how far it has to turn. Then $\\sin(a + b) = \\cos b\\,\\sin a + \\sin b\\,\\cos a$ and "
        "$\\cos(a + b) = -\\sin b\\,\\sin a + \\cos b\\,\\cos a$. The four factors of $\\sin a$ "
        "and $\\cos a$ are the block, and $p$ is not among them. Different pairs do not mix, so "
        "the blocks stand along the diagonal and everything else is 0. Each block is a rotation, "
        "so the whole matrix keeps lengths: $M M^\\top$ is the identity."
    ),
    cases=(
        Case({"offset": 2, "theta": torch.tensor([0.9, 0.4], dtype=torch.float64)}),
        Case({"offset": 3, "theta": 10_000.0 ** (-torch.arange(3).double() / 3)}),
        Case({"offset": 7, "theta": torch.tensor([1.0, 0.31, 0.12, 0.02, 0.5]).double()}),
        Case({"offset": -4, "theta": torch.tensor([0.7, 0.2, 0.05, 0.3]).double()}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "A pair stands at the angle a, and the offset turns it on by b. What are sin(a + b) and "
        "cos(a + b) in terms of sin a and cos a?",
        "Each pair needs a block of 2 x 2 numbers that hold b and not a. Put the blocks along the "
        "diagonal of a matrix of zeros.",
        "```python\nM = torch.zeros(2 * len(theta), 2 * len(theta), dtype=theta.dtype)\n"
        "for i in range(len(theta)):\n"
        "    b = ...                      # how far this pair turns\n"
        "    M[2 * i, 2 * i] = ...        # factor of sin a in sin(a + b)\n"
        "    M[2 * i, 2 * i + 1] = ...    # factor of cos a in sin(a + b)\n"
        "    ...                          # the same for cos(a + b)\n"
        "return M\n```",
    ),
    returns=("the matrix",),
)
