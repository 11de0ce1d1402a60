"""Lesson 21, third exercise: how much each probability moves with each logit."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(logits, temperature):
    """J[i, j] = d p_i / d logits_j for p = softmax(logits / temperature), logits of shape [n]."""
    raise NotImplementedError


def _solution(logits, temperature):
    p = torch.softmax(logits / temperature, dim=-1)
    return (torch.diag(p) - torch.outer(p, p)) / temperature  # [n, n]


def _p(logits, temperature):
    return torch.softmax(logits / temperature, dim=-1)


def _of(p):
    """Softmax's Jacobian with respect to what enters the exponentials."""
    return torch.diag(p) - torch.outer(p, p)


def _over_t(wrong):
    """`wrong(p)` with the temperature as it should be."""
    return lambda logits, temperature: wrong(_p(logits, temperature)) / temperature


def _overflowing(logits, temperature):
    e = (logits / temperature).exp()
    return _of(e / e.sum()) / temperature


def _over_t_on_one_term(logits, temperature):
    p = _p(logits, temperature)
    return torch.diag(p) - torch.outer(p, p) / temperature


_MISTAKES = (
    Mistake(
        "logits in place of probabilities",
        lambda logits, temperature: _of(logits / temperature) / temperature,
        "The formula is right, but what is p in it: the logits, or what softmax makes of them?",
    ),
    Mistake(
        "no diagonal part",
        _over_t(lambda p: -torch.outer(p, p)),
        "By your matrix, raising a logit lowers its own probability. Which term is missing where "
        "i = j?",
    ),
    Mistake(
        "no outer product",
        _over_t(lambda p: torch.diag(p)),
        "By your matrix, raising one logit leaves the other probabilities alone. Can that be, "
        "when they always sum to 1?",
    ),
    Mistake(
        "diagonal only",
        _over_t(lambda p: torch.diag(p * (1 - p))),
        "Your diagonal p(1 - p) is right. But what does logit j do to the other probabilities? "
        "Each column has to sum to 0.",
    ),
    Mistake(
        "diagonal as a vector",
        _over_t(lambda p: p * (1 - p)),
        "You return p(1 - p), one number a logit: how each probability moves with its own logit. "
        "The Jacobian also has every other pair, so it is a matrix.",
    ),
    Mistake(
        "plus in place of minus",
        _over_t(lambda p: torch.diag(p) + torch.outer(p, p)),
        "What does each column of your matrix sum to? The probabilities always sum to 1, so their "
        "changes have to cancel. Look at the sign of the second term.",
    ),
    Mistake(
        "sign reversed",
        _over_t(lambda p: torch.outer(p, p) - torch.diag(p)),
        "Every entry has the wrong sign: does a probability rise or fall with its own logit?",
    ),
    Mistake(
        "elementwise square in place of outer product",
        _over_t(lambda p: torch.diag(p) - p * p),
        "`p * p` multiplies entry by entry and gives a vector, which is then repeated in every "
        "row. Entry [i, j] needs p_i times p_j: which product of two vectors is a matrix?",
    ),
    Mistake(
        "dot product in place of outer product",
        _over_t(lambda p: torch.diag(p) - p @ p),
        "`p @ p` of two vectors is a single number. Entry [i, j] needs p_i times p_j: which "
        "product of two vectors is a matrix?",
    ),
    Mistake(
        "softmax itself",
        _p,
        "That is softmax. The question is how much it changes when a logit does.",
    ),
    Mistake(
        "1 - p_j everywhere",
        _over_t(lambda p: torch.outer(p, 1 - p)),
        "Every entry of yours is p_i (1 - p_j), as if i were always j. Away from the diagonal "
        "only one of the two terms is left: which?",
    ),
    Mistake(
        "1 - p_i everywhere",
        _over_t(lambda p: torch.outer(1 - p, p)),
        "Every entry of yours is (1 - p_i) p_j, as if i were always j. Away from the diagonal "
        "only one of the two terms is left: which?",
    ),
    Mistake(
        "temperature ignored",
        lambda logits, temperature: _of(_p(logits, 1)),
        "Your result is the same at every temperature. It comes in twice: in p, and once more "
        "through the chain rule.",
    ),
    Mistake(
        "chain rule forgotten",
        lambda logits, temperature: _of(_p(logits, temperature)),
        "Right with respect to logits / temperature, and right at T = 1. What does the chain rule "
        "add, when the logits themselves are what moves?",
    ),
    Mistake(
        "multiplied by the temperature",
        lambda logits, temperature: _of(_p(logits, temperature)) * temperature,
        "You multiply by the temperature. What is the derivative of logits / T: T, or 1 / T? At "
        "high temperature p should hardly move with a logit.",
    ),
    Mistake(
        "temperature squared",
        lambda logits, temperature: _of(_p(logits, temperature)) / temperature**2,
        "You divide by the temperature twice. In diag(p) - p p^T only the derivative of "
        "logits / T is missing; how often does that come in?",
    ),
    Mistake(
        "p at temperature 1",
        lambda logits, temperature: _of(_p(logits, 1)) / temperature,
        "The factor 1 / T is right. But at which temperature did you take p?",
    ),
    Mistake(
        "logits multiplied by the temperature",
        lambda logits, temperature: _of(_p(logits, 1 / temperature)) * temperature,
        "Your p is the softmax of logits * T. The task divides the logits by T: heat flattens.",
    ),
    Mistake(
        "1 / T on the outer product alone",
        _over_t_on_one_term,
        "Only the outer product is divided by the temperature. `a - b / T` divides b alone: where "
        "do brackets belong?",
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
        "Write `softmax_jacobian(logits, temperature)` for logits of shape `[n]`: the matrix "
        r"$J_{ij} = \partial p_i / \partial x_j$ with $p = \operatorname{softmax}(x / T)$, where "
        "$x$ are the logits and $T$ is the temperature. Work the formula out; no autograd needed."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        r"Let $s = x / T$. With $p_i = e^{s_i} / S$ and $S = \sum_k e^{s_k}$, the quotient rule "
        r"gives $\partial p_i / \partial s_j = p_i (1[i = j] - p_j)$, and the chain rule one more "
        r"factor $\partial s_j / \partial x_j = 1 / T$. In matrices "
        r"$J = (\operatorname{diag}(p) - p p^\top) / T$. Rows and columns sum to 0, because the "
        "probabilities always sum to 1 and adding the same to all logits changes nothing. When "
        "one probability is close to 1, every entry is close to 0: then hardly any gradient "
        "passes. That is what scaling keeps rare: the root of the head's width is a temperature."
    ),
    cases=(
        Case({"logits": torch.tensor([0.0, 1.0]), "temperature": 1.0}),
        Case({"logits": torch.tensor([1.0, 2.0, 3.0]), "temperature": 1.0}),
        # At T = 1 a wrong formula is named even when the temperature is wrong as well.
        Case({"logits": torch.tensor([1.0, 2.0, 3.0]), "temperature": 2.0}, extreme=1),
        Case({"logits": torch.zeros(4), "temperature": 4.0}, extreme=1),
        Case({"logits": torch.tensor([-2.0, 0.5, 1.0, 4.0, -1.0]), "temperature": 0.5}, extreme=1),
        Case({"logits": torch.tensor([1000.0, 1001.0, 999.0]), "temperature": 2.0}, extreme=2),
    ),
    mistakes=_MISTAKES,
    hints=(
        "All probabilities together stay at 1. If logit j rises and p_j with it, what must the "
        "other probabilities do? And does that step count for more or for less when T is large?",
        r"Write $p_i = e^{s_i} / S$ with $s = x / T$ and use the quotient rule, once for $i = j$ "
        r"and once for $i \ne j$; both results can be written with p alone. Then the chain rule: "
        r"how much does $s_j$ move with $x_j$?",
        "```python\np = ...                              # at which temperature?\n"
        "return (torch.diag(...) - ...) / ...   # [n, n] minus [n, n]\n```",
    ),
    returns=("the Jacobian",),
)
