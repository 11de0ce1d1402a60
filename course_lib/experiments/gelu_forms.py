"""How far GELU's short forms are from it, and where it turns (lesson 32)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number

STEP = 1e-4  # between the points that are looked at; halving it moves no figure of the lesson


@dataclass(frozen=True)
class Extreme:
    """A largest or smallest value, and where it was found."""

    value: float
    at: float


def normal_cdf(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Return :math:`\Phi(x)`, the probability that a standard normal draw is at most x."""
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def normal_density(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Return :math:`\varphi(x) = e^{-x^2/2} / \sqrt{2\pi}`, the slope of :func:`normal_cdf`."""
    return torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)


def grid(lo: float = -8.0, hi: float = 8.0) -> Float[Tensor, " point"]:
    """Return float64 points from ``lo`` to ``hi``, ``STEP`` apart, both ends included."""
    require_number(lo=lo, hi=hi)
    if not lo < hi:
        raise ValueError(f"lo must be below hi, got lo={lo}, hi={hi}")
    return torch.linspace(lo, hi, round((hi - lo) / STEP) + 1, dtype=torch.float64)


def slope(
    function: Callable[[Tensor], Tensor], x: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """Return the derivative at each point, by autograd; the function works entry by entry."""
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(function(x).sum(), x)[0]


def largest_error(
    form: Callable[[Tensor], Tensor],
    exact: Callable[[Tensor], Tensor],
    lo: float = -8.0,
    hi: float = 8.0,
) -> Extreme:
    """Find where two functions of one number are farthest apart, on a fine grid."""
    x = grid(lo, hi)
    errors = (form(x) - exact(x)).abs()
    worst = errors.argmax()
    return Extreme(errors[worst].item(), x[worst].item())


def smallest(function: Callable[[Tensor], Tensor], lo: float = -8.0, hi: float = 8.0) -> Extreme:
    """Find the smallest value of a function of one number, on a fine grid."""
    x = grid(lo, hi)
    y = function(x)
    lowest = y.argmin()
    return Extreme(y[lowest].item(), x[lowest].item())


def largest(function: Callable[[Tensor], Tensor], lo: float = -8.0, hi: float = 8.0) -> Extreme:
    """Find the largest value of a function of one number, on a fine grid."""
    found = smallest(lambda x: -function(x), lo, hi)
    return Extreme(-found.value, found.at)
