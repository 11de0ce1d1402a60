"""Lesson 21, first exercise: the variance of a scaled score at initialisation."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(d_model, d_head, sigma):
    """Variance of one scaled score q.k / sqrt(d_head) of a freshly initialised model."""
    raise NotImplementedError


def _solution(d_model, d_head, sigma):
    entry = d_model * sigma**2  # variance of one entry of q, and of one entry of k
    score = d_head * entry**2  # d_head products, each of variance entry * entry
    return score / math.sqrt(d_head) ** 2  # scores shrink by sqrt(d_head), variance by its square


_MISTAKES = (
    Mistake(
        "variance of one entry",
        lambda d_model, d_head, sigma: d_model * sigma**2,
        "You gave d_model * sigma**2. Is that the variance of the score, or of one entry of q? "
        "A score multiplies an entry of q by one of k, so the variances of both come in. (It is "
        "also the standard deviation of the scaled score; the variance is asked for.)",
    ),
    Mistake(
        "unscaled",
        lambda d_model, d_head, sigma: d_head * (d_model * sigma**2) ** 2,
        "That is the variance of q.k before the division. What does dividing by sqrt(d_head) do "
        "to a variance?",
    ),
    Mistake(
        "sigma is taken for the variance",
        lambda d_model, d_head, sigma: (d_model * sigma) ** 2,
        "Is sigma the standard deviation of a weight or its variance? You use it as the variance.",
    ),
    Mistake(
        "always 1",
        lambda d_model, d_head, sigma: 1.0,
        "Why 1? Dividing by sqrt(d_head) gives 1 when the entries of q and k have variance 1. "
        "What variance do they have here, coming out of W_q and W_k?",
    ),
    Mistake(
        "divides the score by d_head",
        lambda d_model, d_head, sigma: (d_model * sigma**2) ** 2 / d_head,
        "Your scores are divided by d_head. Attention divides them by sqrt(d_head): how does the "
        "variance change then?",
    ),
    Mistake(
        "divides the variance by sqrt(d_head)",
        lambda d_model, d_head, sigma: math.sqrt(d_head) * (d_model * sigma**2) ** 2,
        "When every score is divided by c, is its variance divided by c or by c squared?",
    ),
    Mistake(
        "width of the head in place of the model's",
        lambda d_model, d_head, sigma: (d_head * sigma**2) ** 2,
        "How many numbers does one entry of q = x W_q add up? Not d_head: that is how many "
        "entries q has.",
    ),
    Mistake(
        "products counted once for q and k together",
        lambda d_model, d_head, sigma: (d_model * sigma * sigma) ** 2 * d_model / d_head,
        "How many products does q.k add up: one for each entry of a head, or d_model of them?",
    ),
)

score_variance = Exercise(
    name="lesson_21.score_variance",
    task=(
        "Every row $x$ that enters attention has `d_model` entries with mean 0 and mean square 1 "
        "(layer norm sees to that). The weights of $W_q$ and $W_k$ are drawn independently from "
        "$N(0, \\sigma^2)$, and a head is `d_head` wide. Write `score_variance(d_model, d_head, "
        "sigma)`: the variance, over the random weights, of a **scaled** score "
        "$q \\cdot k / \\sqrt{d_{head}}$."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One entry of $q$ adds `d_model` products of an input entry and a weight; the squares of "
        "the inputs sum to `d_model`, so its variance is $d_{model}\\,\\sigma^2$, and the same "
        "for $k$. A product of the two has variance $(d_{model}\\,\\sigma^2)^2$, `d_head` of them "
        "add up, and the division by $\\sqrt{d_{head}}$ takes exactly that factor away: "
        "$(d_{model}\\,\\sigma^2)^2$. The head's width is gone, and the result is 1 only when "
        "$\\sigma = 1/\\sqrt{d_{model}}$. So scaling makes the spread independent of the head's "
        "width; whether it is 1 is up to the initialisation."
    ),
    cases=(
        Case({"d_model": 512, "d_head": 64, "sigma": 0.05}),
        Case({"d_model": 768, "d_head": 64, "sigma": 0.02}),
        Case({"d_model": 768, "d_head": 96, "sigma": 0.02}),
        Case({"d_model": 1024, "d_head": 64, "sigma": 1 / 32}),
        Case({"d_model": 12288, "d_head": 128, "sigma": 0.02}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "What is the variance of a single entry of $q = x W_q$? It is a sum of `d_model` "
        "independent terms.",
        "Three facts, used in a row: variances of independent terms add; the variance of a product "
        "of two independent numbers with mean 0 is the product of their variances; dividing a "
        "number by $c$ divides its variance by $c^2$.",
        "```python\nentry = ...          # variance of one entry of q or k\n"
        "score = ... * entry**2   # how many products does q.k add?\n"
        "return score / ...       # what does / sqrt(d_head) do to a variance?\n```",
    ),
    returns=("the variance",),
)
