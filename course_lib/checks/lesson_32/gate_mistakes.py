"""Wrong answers to lesson 32's first exercise: other gates, and other moments of the right one."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from course_lib.checks.mistakes import Family, Mistake
from course_lib.checks.run import Case, Ran

_NEAR = 0.05  # draws by the thousand come as close as this


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


def _standard_density(x, mu, sigma):
    return torch.exp(-(((x - mu) / sigma) ** 2) / 2) / math.sqrt(2 * math.pi)


def _estimated(x, mu, sigma):
    """Moments over a thousand hurdles, in place of all."""
    share = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
    hurdles = mu + sigma * torch.special.ndtri(share)
    out = x * (hurdles.view(-1, *[1] * x.ndim) <= x)
    return out.mean(0), out.var(0)


_ESTIMATED = (
    "Close, but not exact. Random draws give an estimate only, and none are needed: what comes "
    "out takes two values. (If you draw none, do you round, or use a short form of Phi?)"
)


def _fit_estimate(
    cases: Sequence[Case], tried: Sequence[Ran]
) -> tuple[Callable[..., Any], str] | None:
    """Say again what the learner's function gave, if that is near the exact values everywhere."""
    given = []
    for case, ran in zip(cases, tried, strict=True):
        wanted = _moments(lambda x, p: x * p, lambda x, p: x**2 * p * (1 - p))(*case.copies())
        if not isinstance(ran.result, tuple) or len(ran.result) != 2:
            return None
        found = [part.values.double() for part in ran.result]
        if any(f.shape != w.shape for f, w in zip(found, wanted, strict=True)):
            return None
        if not all((f - w).abs().max() < _NEAR for f, w in zip(found, wanted, strict=True)):
            return None
        given.append((case.inputs["x"], tuple(found)))
    return lambda x, mu, sigma: next(f for seen, f in given if torch.equal(seen, x)), _ESTIMATED


MISTAKES = (
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
        "spread for variance",
        _with(lambda x, mu, sigma: _p(x, mu, math.sqrt(sigma))),
        "You divide by the root of sigma. sigma is the standard deviation already; sigma squared "
        "is the variance.",
    ),
    Mistake(
        "multiplied by the spread",
        _with(lambda x, mu, sigma: _p((x - mu) * sigma**2, 0.0, sigma)),
        "You multiply the distance by sigma. Is half a unit more or less surprising when Z spreads "
        "widely?",
    ),
    Mistake(
        "only x divided",
        _with(lambda x, mu, sigma: _p(x / sigma - mu, 0.0, 1.0)),
        "You divide x by sigma and then take mu off. The distance x - mu is what sigma measures.",
    ),
    Mistake(
        "mean of Z added",
        _with(lambda x, mu, sigma: _p(x, -mu, sigma)),
        "You add mu. A hurdle that lies higher on average is cleared less often: which sign has "
        "mu?",
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
        "standard density for probability",
        _with(_standard_density),
        "You use the height of the standard bell, some sigmas out. The probability that Z is at "
        "most x is the area to the left.",
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
        "size of x, not squared",
        _moments(lambda x, p: x * p, lambda x, p: x.abs() * p * (1 - p)),
        "Your variance holds the size of x once. A number ten times as large varies a hundred "
        "times as much, by variance.",
    ),
    Mistake(
        "mean of the square",
        _moments(lambda x, p: x * p, lambda x, p: x**2 * p),
        "Your second number is the mean of the square. What has to be taken off to get the "
        "variance?",
    ),
    Mistake(
        "mean not squared",
        _moments(lambda x, p: x * p, lambda x, p: x**2 * p - x * p),
        "You take the mean off. Its square is to be taken off.",
    ),
    Mistake(
        "variance of the distance",
        lambda x, mu, sigma: (
            x * _p(x, mu, sigma),
            (x - mu) ** 2 * _p(x, mu, sigma) * (1 - _p(x, mu, sigma)),
        ),
        "Your mean is right. Your variance is that of (x - mu) times the gate. What passes is x "
        "itself.",
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
        "the standardised number passes, in the mean",
        lambda x, mu, sigma: (
            (x - mu) / sigma * _p(x, mu, sigma),
            x**2 * _p(x, mu, sigma) * (1 - _p(x, mu, sigma)),
        ),
        "Your variance is right. In your mean, (x - mu) / sigma passes the gate. What passes is x "
        "itself; mu and sigma belong to the hurdle.",
    ),
    Mistake(
        "mean of the gate",
        _moments(lambda x, p: p, lambda x, p: p * (1 - p)),
        "You give mean and variance of the gate. Asked for are those of x times the gate.",
    ),
    Mistake(
        "mean of the gate, variance of the product",
        _moments(lambda x, p: p, lambda x, p: x**2 * p * (1 - p)),
        "Your variance is right. Your mean is that of the gate alone: what does an open gate let "
        "through?",
    ),
    Mistake(
        "stacked",
        lambda x, mu, sigma: torch.stack(
            _moments(lambda x, p: x * p, lambda x, p: x**2 * p * (1 - p))(x, mu, sigma)
        ),
        "The values are right, but they come in one tensor. Return two, separated by a comma.",
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
    Family("estimated", _estimated, _ESTIMATED, _fit_estimate),
)  # fmt: skip
