"""Lesson 32, first exercise: mean and variance of a number behind its gate."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_32.gate_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, mu, sigma):
    """Mean and variance of x * 1[Z <= x], where Z is drawn from N(mu, sigma^2), for each x."""
    raise NotImplementedError


def _solution(x, mu, sigma):
    p = 0.5 * (1 + torch.erf((x - mu) / (sigma * math.sqrt(2))))  # probability that Z <= x
    return x * p, x**2 * p * (1 - p)


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
        Case({"x": torch.linspace(-2.1, 2.6, 6).view(2, 3), "mu": 0.2, "sigma": 1.5}),
    ),
    mistakes=MISTAKES,
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
