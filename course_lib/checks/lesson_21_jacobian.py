"""Lesson 21, third exercise: how much each probability moves with each logit."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(logits):
    """J[i, j] = d p_i / d logits_j for p = softmax(logits), logits of shape [n]."""
    raise NotImplementedError


def _solution(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.diag(p) - torch.outer(p, p)  # [n, n]


def _p(logits):
    return torch.softmax(logits, dim=-1)


def _of_the_logits(logits):
    return torch.diag(logits) - torch.outer(logits, logits)


def _overflowing(logits):
    p = logits.exp() / logits.exp().sum()
    return torch.diag(p) - torch.outer(p, p)


_MISTAKES = (
    Mistake(
        "logits in place of probabilities",
        _of_the_logits,
        "The formula is right, but what is p in it: the logits, or what softmax makes of them?",
    ),
    Mistake(
        "no diagonal part",
        lambda logits: -torch.outer(_p(logits), _p(logits)),
        "By your matrix, raising a logit lowers its own probability. Which term is missing where "
        "i = j?",
    ),
    Mistake(
        "no outer product",
        lambda logits: torch.diag(_p(logits)),
        "By your matrix, raising one logit leaves the other probabilities alone. Can that be, "
        "when they always sum to 1?",
    ),
    Mistake(
        "diagonal only",
        lambda logits: torch.diag(_p(logits) * (1 - _p(logits))),
        "Your diagonal p(1 - p) is right. But what does logit j do to the other probabilities? "
        "Each column has to sum to 0.",
    ),
    Mistake(
        "diagonal as a vector",
        lambda logits: _p(logits) * (1 - _p(logits)),
        "You return p(1 - p), one number a logit: how each probability moves with its own logit. "
        "The Jacobian also has every other pair, so it is a matrix.",
    ),
    Mistake(
        "plus in place of minus",
        lambda logits: torch.diag(_p(logits)) + torch.outer(_p(logits), _p(logits)),
        "What does each column of your matrix sum to? The probabilities always sum to 1, so their "
        "changes have to cancel. Look at the sign of the second term.",
    ),
    Mistake(
        "sign reversed",
        lambda logits: torch.outer(_p(logits), _p(logits)) - torch.diag(_p(logits)),
        "Every entry has the wrong sign: does a probability rise or fall with its own logit?",
    ),
    Mistake(
        "elementwise square in place of outer product",
        lambda logits: torch.diag(_p(logits)) - _p(logits) * _p(logits),
        "`p * p` multiplies entry by entry and gives a vector, which is then repeated in every "
        "row. Entry [i, j] needs p_i times p_j: which product of two vectors is a matrix?",
    ),
    Mistake(
        "dot product in place of outer product",
        lambda logits: torch.diag(_p(logits)) - _p(logits) @ _p(logits),
        "`p @ p` of two vectors is a single number. Entry [i, j] needs p_i times p_j: which "
        "product of two vectors is a matrix?",
    ),
    Mistake(
        "softmax itself",
        _p,
        "That is softmax. The question is how much it changes when a logit does.",
    ),
    Mistake(
        "overflows",
        _overflowing,
        "Right for small logits, NaN for large ones: `exp(1000)` is inf. Use `torch.softmax`, or "
        "subtract the largest logit first.",
    ),
)

softmax_jacobian = Exercise(
    name="lesson_21.softmax_jacobian",
    task=(
        "Write `softmax_jacobian(logits)` for logits of shape `[n]`: the matrix "
        r"$J_{ij} = \partial p_i / \partial x_j$ with $p = \operatorname{softmax}(x)$. Work the "
        "formula out; no autograd needed."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        r"With $p_i = e^{x_i} / S$ and $S = \sum_k e^{x_k}$, the quotient rule gives "
        r"$\partial p_i / \partial x_j = p_i (1[i = j] - p_j)$, in matrices "
        r"$J = \operatorname{diag}(p) - p p^\top$. Rows and columns sum to 0, because the "
        "probabilities always sum to 1 and adding the same to all logits changes nothing. When "
        "one probability is close to 1, every entry is close to 0: then hardly any gradient "
        "passes. That is the case that scaling is meant to keep rare."
    ),
    cases=(
        Case({"logits": torch.tensor([0.0, 1.0])}),
        Case({"logits": torch.tensor([1.0, 2.0, 3.0])}),
        Case({"logits": torch.zeros(4)}),
        Case({"logits": torch.tensor([-2.0, 0.5, 1.0, 4.0, -1.0])}),
        Case({"logits": torch.tensor([1000.0, 1001.0, 999.0])}, extreme=True),
    ),
    mistakes=_MISTAKES,
    hints=(
        "All probabilities together stay at 1. If logit j rises and p_j with it, what must the "
        "other probabilities do?",
        r"Write $p_i = e^{x_i} / S$ and use the quotient rule, once for $i = j$ and once for "
        r"$i \ne j$. Both results can be written with p alone.",
        "```python\np = ...\nreturn torch.diag(...) - ...   # [n, n] minus [n, n]\n```",
    ),
    returns=("the Jacobian",),
)
