"""Lesson 32, first exercise: mean and variance of a number behind its gate."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(x, mu, sigma):
    """Mean and variance of x * 1[Z <= x], where Z is drawn from N(mu, sigma^2), for each x."""
    raise NotImplementedError


def _solution(x, mu, sigma):
    p = 0.5 * (1 + torch.erf((x - mu) / (sigma * math.sqrt(2))))  # probability that Z <= x
    return x * p, x**2 * p * (1 - p)


def _p(x, mu, sigma):
    return 0.5 * (1 + torch.erf((x - mu) / (sigma * math.sqrt(2))))


def _with(p):
    """Mean and variance of a gate that opens with another probability."""

    def wrong(x, mu, sigma):
        share = p(x, mu, sigma)
        return x * share, x**2 * share * (1 - share)

    return wrong


def _moments(mean, variance):
    """Other moments of the right gate."""

    def wrong(x, mu, sigma):
        p = _p(x, mu, sigma)
        return mean(x, p), variance(x, p)

    return wrong


def _density(x, mu, sigma):
    return torch.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


_MISTAKES = (
    Mistake(
        "multiplied by Z",
        lambda x, mu, sigma: (x * mu, x**2 * sigma**2),
        "These are the moments of x * Z. The gate is not Z itself: it is 1 where Z is at most x, "
        "and 0 elsewhere. How likely is each?",
    ),
    Mistake(
        "standard normal",
        _with(lambda x, mu, sigma: _p(x, 0.0, 1.0)),
        "Your Z is a standard normal draw whatever mu and sigma are. How many sigmas does x lie "
        "above mu?",
    ),
    Mistake(
        "mean of Z left out",
        _with(lambda x, mu, sigma: _p(x, 0.0, sigma)),
        "Your probability does not depend on mu. Which number has to be compared with Z - mu?",
    ),
    Mistake(
        "spread of Z left out",
        _with(lambda x, mu, sigma: _p(x, mu, 1.0)),
        "Your probability does not depend on sigma. Half a unit above the mean is much for a small "
        "sigma and little for a large one.",
    ),
    Mistake(
        "variance for spread",
        _with(lambda x, mu, sigma: _p(x, mu, sigma**2)),
        "You divide by sigma squared. How many standard deviations lie between mu and x?",
    ),
    Mistake(
        "root of two forgotten",
        _with(lambda x, mu, sigma: _p(x, mu, sigma / math.sqrt(2))),
        "You give erf the number of standard deviations. Phi(t) is (1 + erf(t / ...)) / 2: what "
        "stands below t?",
    ),
    Mistake(
        "erf for probability",
        _with(lambda x, mu, sigma: torch.erf((x - mu) / (sigma * math.sqrt(2)))),
        "You use erf as the probability. erf goes from -1 to 1; a probability has to go from 0 to "
        "1.",
    ),
    Mistake(
        "density for probability",
        _with(_density),
        "You use the height of the bell at x. The probability that Z is at most x is the area "
        "to the left of x.",
    ),
    Mistake(
        "logistic function",
        _with(lambda x, mu, sigma: torch.sigmoid((x - mu) / sigma)),
        "Your gate opens with the logistic function's probability. That is SiLU's gate; a normal Z "
        "gives Phi.",
    ),
    Mistake(
        "short sigmoid form",
        _with(lambda x, mu, sigma: torch.sigmoid(1.702 * (x - mu) / sigma)),
        "You use the sigmoid form of Phi. It is off in the second decimal place; torch has erf.",
    ),
    Mistake(
        "open where Z is larger",
        _with(lambda x, mu, sigma: _p(-x, -mu, sigma)),
        "Your gate is open where Z lies above x. Should a large x pass often or seldom?",
    ),
    Mistake(
        "dropout's gate",
        _with(lambda x, mu, sigma: torch.full_like(x, 0.5)),
        "Your gate opens in half of the draws for every x. That is dropout. Which numbers pass "
        "more often here?",
    ),
    Mistake(
        "rescaled as dropout is",
        _moments(lambda x, p: x, lambda x, p: x**2 * (1 - p) / p),
        "You divide by the probability, as dropout does in training, so your mean is x again and "
        "nothing is bent. Nothing is divided here.",
    ),
    Mistake(
        "standard deviation",
        _moments(lambda x, p: x * p, lambda x, p: x.abs() * (p * (1 - p)).sqrt()),
        "The second number is the standard deviation. Asked for is its square.",
    ),
    Mistake(
        "variance of the gate",
        _moments(lambda x, p: x * p, lambda x, p: p * (1 - p)),
        "Your variance is that of the gate. The gate is multiplied by x: what does that do to a "
        "variance?",
    ),
    Mistake(
        "x not squared",
        _moments(lambda x, p: x * p, lambda x, p: x * p * (1 - p)),
        "Your variance holds x once, and is negative where x is. Does multiplying by x multiply "
        "the variance by x?",
    ),
    Mistake(
        "mean of the square",
        _moments(lambda x, p: x * p, lambda x, p: x**2 * p),
        "Your second number is the mean of the square. What has to be taken off to get the "
        "variance?",
    ),
    Mistake(
        "square of the mean",
        _moments(lambda x, p: x * p, lambda x, p: (x * p) ** 2),
        "Your second number is the square of the mean. From what is it taken off?",
    ),
    Mistake(
        "no variance",
        _moments(lambda x, p: x * p, lambda x, p: 0 * x),
        "Your mean is right, and your variance is 0. GELU itself does not vary, but what is asked "
        "for is the variance of what the random gate lets out.",
    ),
    Mistake(
        "the standardised number passes",
        lambda x, mu, sigma: _moments(lambda t, p: t * p, lambda t, p: t**2 * p * (1 - p))(
            (x - mu) / sigma, 0.0, 1.0
        ),
        "In yours, (x - mu) / sigma passes the gate. What passes is x itself; mu and sigma belong "
        "to the hurdle.",
    ),
    Mistake(
        "mean of the gate",
        _moments(lambda x, p: p, lambda x, p: p * (1 - p)),
        "You give mean and variance of the gate. Asked for are those of x times the gate.",
    ),
    Mistake(
        "other way round",
        _moments(lambda x, p: x**2 * p * (1 - p), lambda x, p: x * p),
        "Your two numbers are right, but the wrong way round: the mean comes first.",
    ),
    Mistake(
        "ReLU",
        _moments(lambda x, p: x.clamp(min=0), lambda x, p: 0 * x),
        "Yours passes x when it is positive, for certain. That is ReLU: nothing is drawn.",
    ),
)  # fmt: skip


def _case(x: list[float], mu: float, sigma: float) -> Case:
    return Case({"x": torch.tensor(x, dtype=torch.float64), "mu": mu, "sigma": sigma})


gate_moments = Exercise(
    name="lesson_32.gate_moments",
    task=(
        "Let the hurdle be any normal draw, $Z \\sim N(\\mu, \\sigma^2)$, and let $x$ pass "
        "unchanged when $Z \\le x$ and be set to 0 when not. Write `gate_moments(x, mu, sigma)`: "
        "for each entry of the tensor `x`, the **mean** and the **variance**, over the draws of "
        "$Z$, of what comes out. `mu` and `sigma > 0` are numbers. No random numbers: exact."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "What comes out is $x$ with probability $p = \\Phi((x - \\mu)/\\sigma)$, else 0. So the "
        "mean is $x\\,p$; the mean of the square is $x^2 p$; and the variance is $x^2 p - (x p)^2 "
        "= x^2\\,p\\,(1 - p)$. With $\\mu = 0$ and $\\sigma = 1$ the mean is GELU. With a small "
        "$\\sigma$ the gate is sure of itself on both sides of $\\mu$: for $\\mu = 0$ the mean "
        "goes over into ReLU, and the variance goes away."
    ),
    cases=(
        _case([-1.0, 0.5, 2.0], 0.0, 1.0),
        _case([-2.0, 0.25, 1.0, 1.5], 0.5, 2.0),
        _case([-0.75, -0.2, 0.1, 0.4, 1.3], -0.3, 0.6),
        _case([0.3, -1.7], 1.0, 0.5),
    ),
    mistakes=_MISTAKES,
    hints=(
        "What comes out takes two values only. Which two, and how likely is each of them?",
        "Measure the distance from mu to x in sigmas, and let Phi turn it into a probability p. "
        "Then: the variance is the mean of the square, less the square of the mean.",
        "```python\nt = ...                  # how many sigmas x lies above mu\n"
        "p = 0.5 * (1 + torch.erf(...))\n"
        "mean = ...               # the one value times its probability\n"
        "mean_square = ...\n"
        "return mean, mean_square - ...\n```",
    ),
    returns=("the mean", "the variance"),
)
