"""Lesson 21, first exercise: the variance of a scaled score at initialisation."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(d_model, d_head, sigma_q, sigma_k):
    """Variance of one scaled score q.k / sqrt(d_head) of a freshly initialised model."""
    raise NotImplementedError


def _solution(d_model, d_head, sigma_q, sigma_k):
    entry_q = d_model * sigma_q**2  # variance of one entry of q
    entry_k = d_model * sigma_k**2  # and of one entry of k
    score = d_head * entry_q * entry_k  # d_head products, each of that variance
    return score / math.sqrt(d_head) ** 2  # scores shrink by sqrt(d_head), variance by its square


def _right(d_model, sigma_q, sigma_k):
    return d_model**2 * sigma_q**2 * sigma_k**2


_MISTAKES = (
    Mistake(
        "variance of one entry of q",
        lambda d_model, d_head, sigma_q, sigma_k: d_model * sigma_q**2,
        "You gave d_model * sigma_q**2. Is that the variance of the score, or of one entry of q? "
        "A score multiplies an entry of q by one of k, so the variances of both come in.",
    ),
    Mistake(
        "variance of one entry of k",
        lambda d_model, d_head, sigma_q, sigma_k: d_model * sigma_k**2,
        "You gave d_model * sigma_k**2. Is that the variance of the score, or of one entry of k? "
        "A score multiplies an entry of q by one of k, so the variances of both come in.",
    ),
    Mistake(
        "standard deviation",
        lambda d_model, d_head, sigma_q, sigma_k: d_model * sigma_q * sigma_k,
        "That is the standard deviation of the scaled score. What is asked for is its variance.",
    ),
    Mistake(
        "unscaled",
        lambda d_model, d_head, sigma_q, sigma_k: d_head * _right(d_model, sigma_q, sigma_k),
        "That is the variance of q.k before the division. What does dividing by sqrt(d_head) do "
        "to a variance?",
    ),
    Mistake(
        "sigmas are taken for variances",
        lambda d_model, d_head, sigma_q, sigma_k: d_model**2 * sigma_q * sigma_k,
        "Are sigma_q and sigma_k the standard deviations of the weights or their variances? You "
        "use them as variances.",
    ),
    Mistake(
        "always 1",
        lambda d_model, d_head, sigma_q, sigma_k: 1.0,
        "Why 1? Dividing by sqrt(d_head) gives 1 when the entries of q and k have variance 1. "
        "What variance do they have here, coming out of W_q and W_k?",
    ),
    Mistake(
        "divides the score by d_head",
        lambda d_model, d_head, sigma_q, sigma_k: _right(d_model, sigma_q, sigma_k) / d_head,
        "Yours shrinks as heads get wider. Are your scores divided by d_head, where attention "
        "divides by sqrt(d_head)? Or did you leave out that d_head products add up in a score?",
    ),
    Mistake(
        "divides the variance by sqrt(d_head)",
        lambda d_model, d_head, sigma_q, sigma_k: (
            math.sqrt(d_head) * _right(d_model, sigma_q, sigma_k)
        ),
        "When every score is divided by c, is its variance divided by c or by c squared?",
    ),
    Mistake(
        "no sum over the head, and the variance divided by sqrt(d_head)",
        lambda d_model, d_head, sigma_q, sigma_k: (
            _right(d_model, sigma_q, sigma_k) / math.sqrt(d_head)
        ),
        "Two things: how many products does q.k add up, and when every score is divided by c, is "
        "its variance divided by c or by c squared?",
    ),
    Mistake(
        "width of the head in place of the model's",
        lambda d_model, d_head, sigma_q, sigma_k: _right(d_head, sigma_q, sigma_k),
        "How many numbers does one entry of q = x W_q add up? Not d_head: that is how many "
        "entries q has.",
    ),
    Mistake(
        "one d_model forgotten",
        lambda d_model, d_head, sigma_q, sigma_k: d_model * sigma_q**2 * sigma_k**2,
        "You have d_model once. An entry of q adds up d_model terms. How many does the entry of "
        "k, by which it is multiplied, add up?",
    ),
    Mistake(
        "no d_model at all",
        lambda d_model, d_head, sigma_q, sigma_k: sigma_q**2 * sigma_k**2,
        "You multiply the variances of two single weights. An entry of q is no single weight: how "
        "many products of an input and a weight does it add up?",
    ),
    Mistake(
        "products counted once for q and k together",
        lambda d_model, d_head, sigma_q, sigma_k: (
            _right(d_model, sigma_q, sigma_k) * d_model / d_head
        ),
        "How many products does q.k add up: one for each entry of a head, or d_model of them?",
    ),
    Mistake(
        "sigma_q twice",
        lambda d_model, d_head, sigma_q, sigma_k: _right(d_model, sigma_q, sigma_q),
        "Your result does not depend on sigma_k. Which of the two do the keys come from?",
    ),
    Mistake(
        "sigma_k twice",
        lambda d_model, d_head, sigma_q, sigma_k: _right(d_model, sigma_k, sigma_k),
        "Your result does not depend on sigma_q. Which of the two do the queries come from?",
    ),
    Mistake(
        "average of the two sigmas",
        lambda d_model, d_head, sigma_q, sigma_k: d_model**2 * ((sigma_q + sigma_k) / 2) ** 4,
        "You work with the average of the two sigmas. If sigma_k were 0, every score would be 0: "
        "what would your formula give?",
    ),
    Mistake(
        "average of the two variances",
        lambda d_model, d_head, sigma_q, sigma_k: d_model**2 * ((sigma_q**2 + sigma_k**2) / 2) ** 2,
        "You work with the average of the two variances. If sigma_k were 0, every score would be "
        "0: what would your formula give?",
    ),
    Mistake(
        "sum of the variances of q and k",
        lambda d_model, d_head, sigma_q, sigma_k: d_model * (sigma_q**2 + sigma_k**2),
        "You add the variances of an entry of q and one of k. Variances add when the numbers do. "
        "What happens to two entries in a score: are they added or multiplied?",
    ),
)

score_variance = Exercise(
    name="lesson_21.score_variance",
    task=(
        "Every row $x$ that enters attention has `d_model` entries with mean 0 and mean square 1 "
        "(layer norm sees to that). The weights of $W_q$ are drawn from $N(0, \\sigma_q^2)$, those "
        "of $W_k$ from $N(0, \\sigma_k^2)$, all independently, and a head is `d_head` wide. Write "
        "`score_variance(d_model, d_head, sigma_q, sigma_k)`: the variance, over the random "
        "weights, of a **scaled** score $q \\cdot k / \\sqrt{d_{head}}$. The two spreads may "
        "differ."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One entry of $q$ adds `d_model` products of an input entry and a weight; the squares of "
        "the inputs sum to `d_model`, so its variance is $d_{model}\\,\\sigma_q^2$, and an entry "
        "of $k$ has $d_{model}\\,\\sigma_k^2$. A product of the two has variance "
        "$d_{model}^2\\,\\sigma_q^2\\,\\sigma_k^2$, `d_head` of them add up, and the division by "
        "$\\sqrt{d_{head}}$ takes exactly that factor away: the answer is "
        "$d_{model}^2\\,\\sigma_q^2\\,\\sigma_k^2$. The head's width is gone. Only the product "
        "of the two sigmas counts: large queries and small keys spread the scores as much as the "
        "other way round. The result is 1 only when $\\sigma_q \\sigma_k = 1/d_{model}$. So "
        "scaling makes the spread independent of the head's width; whether it is 1 is up to the "
        "initialisation."
    ),
    cases=(
        Case({"d_model": 512, "d_head": 64, "sigma_q": 0.05, "sigma_k": 0.02}),
        Case({"d_model": 768, "d_head": 64, "sigma_q": 0.02, "sigma_k": 0.02}),
        Case({"d_model": 768, "d_head": 96, "sigma_q": 0.02, "sigma_k": 0.03}),
        Case({"d_model": 1024, "d_head": 64, "sigma_q": 1 / 16, "sigma_k": 1 / 64}),
        Case({"d_model": 12288, "d_head": 128, "sigma_q": 0.01, "sigma_k": 0.04}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "What is the variance of a single entry of $q = x W_q$, and what is it for $k$? Each is a "
        "sum of `d_model` independent terms.",
        "Three facts, used in a row: variances of independent terms add; the variance of a product "
        "of two independent numbers with mean 0 is the product of their variances; dividing a "
        "number by $c$ divides its variance by $c^2$.",
        "```python\nentry_q = ...        # variance of one entry of q\n"
        "entry_k = ...        # and of one entry of k\n"
        "score = ... * entry_q * entry_k   # how many products does q.k add?\n"
        "return score / ...   # what does / sqrt(d_head) do to a variance?\n```",
    ),
    returns=("the variance",),
    number=True,
)
