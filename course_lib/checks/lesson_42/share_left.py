"""Lesson 42: what a whole schedule of rates leaves of a weight without a gradient."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(rates, weight_decay):
    """The share that is left of a weight whose gradient is always 0."""
    raise NotImplementedError


def _solution(rates, weight_decay):
    share = 1.0
    for rate in rates.tolist():
        share *= 1 - rate * weight_decay
    return share


_MISTAKES = (
    Mistake(
        "nothing happens",
        lambda rates, wd: 1.0,
        "The gradient is 0, so Adam's part is 0. But the decay does not ask for a gradient.",
    ),
    Mistake(
        "growing",
        lambda rates, wd: math.prod(1 + rate * wd for rate in rates.tolist()),
        "Your row grows. The decay is taken off.",
    ),
    Mistake(
        "returned too early",
        lambda rates, wd: 1 - wd * float(rates[0]),
        "This is what the first update alone leaves. Does your `return` stand inside the loop?",
    ),
    Mistake(
        "exponential",
        lambda rates, wd: math.exp(-wd * float(rates.sum())),
        "This is what very small steps come to. Each update multiplies by one minus rate times "
        "decay, and with large rates the exponential is not that.",
    ),
    Mistake(
        "shares added up",
        lambda rates, wd: 1 - wd * float(rates.sum()),
        "You subtract the shares from one. Each update takes its share of what is left by then.",
    ),
    Mistake(
        "mean rate",
        lambda rates, wd: (1 - wd * float(rates.mean())) ** len(rates),
        "You use the mean rate in every update. A product of different factors is not a power of "
        "their mean.",
    ),
    Mistake(
        "last rate",
        lambda rates, wd: (1 - wd * float(rates[-1])) ** len(rates),
        "You use the last rate in every update.",
    ),
    Mistake(
        "first rate",
        lambda rates, wd: (1 - wd * float(rates[0])) ** len(rates),
        "You use the first rate in every update.",
    ),
    Mistake(
        "largest rate",
        lambda rates, wd: (1 - wd * float(rates.max())) ** len(rates),
        "You use the largest rate in every update.",
    ),
    Mistake(
        "one update",
        lambda rates, wd: 1 - wd * float(rates[-1]),
        "This is the factor of the last update alone. All of them are multiplied.",
    ),
    Mistake(
        "no rates",
        lambda rates, wd: (1 - wd) ** len(rates),
        "Your weight shrinks by `weight_decay` in every update. What is it multiplied by?",
    ),
    Mistake(
        "the part lost",
        lambda rates, wd: 1 - _solution(rates, wd),
        "This is the share that is lost. What is left?",
    ),
    Mistake(
        "last update left out",
        lambda rates, wd: _solution(rates[:-1], wd),
        "The last update is missing. Does your loop stop too early?",
    ),
    Mistake(
        "first update left out",
        lambda rates, wd: _solution(rates[1:], wd),
        "The first update is missing. Does your loop start too late?",
    ),
    Mistake(
        "rates alone",
        lambda rates, wd: _solution(rates, 1.0),
        "`weight_decay` does not appear in your answer.",
    ),
    Mistake(
        "shares of every update",
        lambda rates, wd: _solution(rates, wd) ** (1 / len(rates)),
        "This is the mean factor of one update. What is left after all of them?",
    ),
)

share_left = Exercise(
    name="lesson_42.share_left",
    task=(
        "A word that never occurs, in an input table of its own: its row gets the gradient 0 in "
        "every update. AdamW trains it all the same, with `weight_decay` and the learning rates "
        "`rates`, a tensor with one for each update. Write `share_left(rates, weight_decay)`: the "
        "share of the row that is left at the end."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "With the gradient 0 both averages stay 0, and Adam's part of the update is "
        "$0 / \\epsilon = 0$. What remains is the factor $1 - \\eta_t\\lambda$, once for each "
        "update: $\\prod_t (1 - \\eta_t \\lambda)$. So the area under a schedule decides how much "
        "decays, not its peak; twice as long at half the rate is nearly the same."
    ),
    cases=(
        Case({"rates": torch.tensor([0.5, 0.2]), "weight_decay": 0.8}),
        Case({"rates": torch.tensor([0.1, 0.4, 0.9, 0.3, 0.2]), "weight_decay": 0.25}),
        Case({"rates": torch.linspace(0.02, 0.001, 40), "weight_decay": 2.0}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "What is Adam's part of an update when all gradients have been 0?",
        "One update leaves a certain share. What do two updates leave, with different rates?",
        "```python\nshare = 1.0\nfor rate in rates:\n    share = share * ...\nreturn share\n```",
    ),
    returns=("the share",),
    number=True,
)
