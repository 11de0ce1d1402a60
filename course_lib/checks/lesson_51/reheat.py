"""Lesson 51: another temperature for probabilities whose scores are no longer known."""

import torch

from course_lib.checks.coerce import Plain
from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Family, Mistake
from course_lib.checks.run import Case


def _stub(probs, temperature):
    """The probabilities at another temperature, from those at temperature 1."""
    raise NotImplementedError


def _solution(probs, temperature):
    relative = probs / probs.max(dim=-1, keepdim=True).values  # the largest is 1: no underflow
    powers = relative ** (1 / temperature)
    return powers / powers.sum(dim=-1, keepdim=True)


def _naive(probs, temperature):
    powers = probs ** (1 / temperature)
    return powers / powers.sum(dim=-1, keepdim=True)


def _of_all_rows(probs, temperature):
    powers = (probs / probs.max()) ** (1 / temperature)
    return powers / powers.sum()


def _axis_not_kept(probs, temperature):
    powers = probs ** (1 / temperature)
    return powers / powers.sum(dim=-1)


def _columns(probs, temperature):
    powers = probs ** (1 / temperature)
    return powers / powers.sum(dim=0)


def _one_maximum(probs, temperature):
    powers = (probs / probs.max()) ** (1 / temperature)
    return powers / powers.sum(dim=-1, keepdim=True)


def _with_epsilon(epsilon):
    return lambda probs, t: torch.softmax((probs + epsilon).log() / t, dim=-1)


def _fit_epsilon(cases, tried):
    """Read off the case with a zero at a high temperature what was added to it."""
    for case, ran in zip(cases, tried, strict=True):
        if case is _HOT and isinstance(ran.result, Plain) and ran.result.values.shape == (3,):
            first, _, dead = ran.result.values.tolist()
            ratio = (dead / first) ** case.inputs["temperature"] if first > dead > 0 else 0
            if 0 < ratio < 1:
                return _with_epsilon(0.5 * ratio / (1 - ratio)), _EPSILON
    return None


_EPSILON = (
    "A word with probability 0 has come to life, the more so the higher the temperature: did you "
    "add something before the logarithm? log 0 is minus infinity, and that does no harm in a "
    "softmax."
)
_HOT = Case({"probs": torch.tensor([0.5, 0.5, 0.0]), "temperature": 10.0}, extreme=1)

_MISTAKES = (
    Mistake(
        "softmax of probabilities",
        lambda probs, t: torch.softmax(probs / t, dim=-1),
        "You treat the probabilities as scores. What was the score of a word with probability p, "
        "up to a constant? Softmax undoes a logarithm, and there is none here yet.",
    ),
    Mistake(
        "multiplies the logarithm",
        lambda probs, t: torch.softmax(probs.log() * t, dim=-1),
        "With your function a higher temperature makes the largest probability larger. The scores "
        "are divided by the temperature: which power of p is that?",
    ),
    Mistake(
        "temperature not used",
        lambda probs, t: probs / probs.sum(dim=-1, keepdim=True),
        "Your result is what came in. Was every probability divided by the temperature? Such a "
        "factor cancels when the sum is made 1 again.",
    ),
    Mistake(
        "divided, not normalised",
        lambda probs, t: probs / t,
        "What does each row sum to? And a factor on every probability changes no ratio between "
        "two words; a temperature does.",
    ),
    Mistake(
        "powers, not normalised",
        lambda probs, t: probs ** (1 / t),
        "These are the right powers. What do they sum to?",
    ),
    Mistake(
        "powers of the largest, not normalised",
        lambda probs, t: (probs / probs.max(dim=-1, keepdim=True).values) ** (1 / t),
        "Your largest entry is always 1. These are the right ratios; what should a row sum to?",
    ),
    Mistake(
        "normalised over everything",
        _of_all_rows,
        "All rows together sum to 1, where each row should. Give `sum` the last axis, with "
        "`keepdim=True`.",
    ),
    Mistake(
        "axis not kept",
        _axis_not_kept,
        "One row works. With several, `sum(-1)` drops the last axis, and the rows no longer meet "
        "their own sums. What does `keepdim=True` do?",
    ),
    Mistake(
        "columns",
        _columns,
        "Your columns sum to 1. The words stand along the last axis, `dim=-1`.",
    ),
    Family("an epsilon in the logarithm", _with_epsilon(1e-6), _EPSILON, _fit_epsilon),
    Mistake(
        "another logarithm",
        lambda probs, t: torch.softmax(probs.log2() / t, dim=-1),
        "You undo softmax with a logarithm of another base. Softmax has e: `log`.",
    ),
    Mistake(
        "logarithms returned",
        lambda probs, t: torch.log_softmax(probs.log() / t, dim=-1),
        "You return the logarithms of the probabilities.",
    ),
    Mistake(
        "underflows",
        _naive,
        "Right, except at very low temperatures: 0.4 to the power of 1000 is 0 in a float, and "
        "0 / 0 is NaN. What could you divide a row by before you raise it to a power?",
    ),
    Mistake(
        "one largest for all rows",
        _one_maximum,
        "Almost: you divide by the largest of the whole tensor, and in a row that lies below it "
        "all powers underflow at a low temperature. Whose largest should a row take?",
    ),
)

_ROWS = torch.tensor([[0.1, 0.6, 0.3], [0.2, 0.3, 0.5]])
_COLD = torch.tensor([[0.3, 0.3, 0.4], [0.05, 0.9, 0.05]], dtype=torch.float64)

reheat = Exercise(
    name="lesson_51.reheat",
    task=(
        "Many services return probabilities, not scores. Write `reheat(probs, temperature)`: from "
        "the probabilities at temperature 1, along the **last** axis, those at another "
        "temperature. Low temperatures such as 0.001 must work, and words with probability 0."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Up to a constant, which softmax does not see, a score is $z_i = \\ln p_i$. So "
        "$e^{z_i / T} = p_i^{1/T}$, divided by the sum. With $T = 0.001$ that is the thousandth "
        "power, which underflows for every word; divided by the row's largest first, one word "
        "keeps 1. `torch.softmax(probs.log() / temperature, -1)` is the same: it subtracts the "
        "largest logarithm."
    ),
    cases=(
        Case({"probs": torch.tensor([0.1, 0.6, 0.3, 0.0]), "temperature": 1.0}),
        Case({"probs": torch.tensor([0.1, 0.6, 0.3, 0.0]), "temperature": 2.0}),
        Case({"probs": torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64), "temperature": 0.5}),
        Case({"probs": _ROWS, "temperature": 0.7}),
        Case({"probs": torch.stack([_ROWS, _ROWS.flip(-1)]), "temperature": 1.7}),
        _HOT,
        Case({"probs": torch.tensor([0.3, 0.3, 0.4]), "temperature": 0.001}, extreme=1),
        Case({"probs": _COLD, "temperature": 0.001}, extreme=1),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Softmax turns scores into probabilities. Which function leads back, up to a constant "
        "that does not matter?",
        "The logarithm leads back. Take it, divide, and softmax: done. Or without it: dividing "
        "the exponent by T makes which power of $p$?",
        "```python\npowers = ... ** (...)\nreturn powers / ...\n```",
    ),
    returns=("the probabilities",),
)
