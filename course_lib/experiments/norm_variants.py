"""Layer norms with one thing changed: the place of eps, the variance, the axes (lesson 31)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number

PLACES = ("inside", "outside")
FORMATS = (torch.float16, torch.bfloat16, torch.float32)


def plain_layer_norm(
    x: Float[Tensor, "*batch d_model"],
    eps: float,
    *,
    place: str = "inside",
    correction: int = 0,
    axes: tuple[int, ...] = (-1,),
) -> Float[Tensor, "*batch d_model"]:
    """Normalise with nothing hidden: every step runs in the format of ``x``.

    Args:
        place: eps is added to the variance "inside" the root, or to the root, "outside".
        correction: 0 divides the squares by the count (biased), 1 by one less.
        axes: what mean and variance are taken over; a transformer takes the last axis alone.
    """
    if place not in PLACES:
        raise ValueError(f"place must be one of {PLACES}, got {place!r}")
    require_number(eps=eps)
    centred = x - x.mean(dim=axes, keepdim=True)
    count = math.prod(x.shape[axis] for axis in axes)
    variance = centred.square().sum(dim=axes, keepdim=True) / (count - correction)
    added = torch.tensor(eps, dtype=x.dtype)  # an eps too small for the format is 0 from here on
    if place == "inside":
        return centred / (variance + added).sqrt()
    return centred / (variance.sqrt() + added)


@dataclass(frozen=True)
class InFormat:
    """What one format makes of an eps, of a constant row and of a long one."""

    dtype: str
    eps: float
    eps_kept: float
    constant: float
    long: float


def in_format(dtype: torch.dtype, eps: float) -> InFormat:
    """Run the formula step by step in one format, on two rows that strain it.

    ``constant`` is the first output of a row of equal numbers, where 0 is right; ``long`` the
    first output of the row 1000, -1000, 1000, -1000, where 1 is right.
    """
    constant = torch.full((4,), 0.5, dtype=dtype)
    long = torch.tensor([1000.0, -1000.0, 1000.0, -1000.0], dtype=dtype)
    outputs = (plain_layer_norm(row, eps)[0].item() for row in (constant, long))
    kept = torch.tensor(eps, dtype=dtype).item()
    return InFormat(str(dtype).removeprefix("torch."), eps, kept, *outputs)


def gradient_at_a_constant_row(place: str, eps: float = 1e-5) -> Float[Tensor, " d_model"]:
    """Return the gradient of the first output at a row of equal numbers, by autograd."""
    x = torch.full((4,), 0.5, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(plain_layer_norm(x, eps, place=place)[0], x)
    return gradient
