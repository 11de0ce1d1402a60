"""Layer norm as one writes it, and with one thing changed: eps, variance, axes (lesson 31)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole

PLACES = ("inside", "outside")
FORMATS = (torch.float16, torch.bfloat16, torch.float32)


def plain_layer_norm(
    x: Float[Tensor, "*batch d_model"],
    gain: Float[Tensor, " d_model"] | float = 1.0,
    shift: Float[Tensor, " d_model"] | float = 0.0,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Normalise as the equation says it, every step in the format of ``x``."""
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    s = torch.sqrt(variance + eps)
    y = (x - mean) / s
    return gain * y + shift


def norm_variant(
    x: Float[Tensor, "*batch d_model"],
    eps: float,
    *,
    place: str = "inside",
    correction: int = 0,
    axes: tuple[int, ...] = (-1,),
) -> Float[Tensor, "*batch d_model"]:
    """Normalise with one thing done otherwise than by :func:`plain_layer_norm`.

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
    if place == "inside":
        return centred / (variance + eps).sqrt()
    return centred / (variance.sqrt() + eps)


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
    kept = torch.tensor(eps, dtype=dtype).item()  # may be 0 from here on
    outputs = (plain_layer_norm(row, eps=kept)[0].item() for row in (constant, long))
    return InFormat(str(dtype).removeprefix("torch."), eps, kept, *outputs)


def equal_rows(
    n_rows: int = 200, d_model: int = 768, largest: float = 10.0, seed: int = 0
) -> Float[Tensor, "n_rows d_model"]:
    """Draw rows in float32, each of one number alone, between 0 and ``largest``."""
    require_whole(1, n_rows=n_rows, d_model=d_model)
    require_whole(0, seed=seed)
    require_number(largest=largest)
    generator = torch.Generator().manual_seed(seed)
    return (largest * torch.rand(n_rows, 1, generator=generator)).expand(-1, d_model).contiguous()


def gradient_at_a_constant_row(place: str, eps: float = 1e-5) -> Float[Tensor, " d_model"]:
    """Return the gradient of the first output at a row of equal numbers, by autograd."""
    x = torch.full((4,), 0.5, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(norm_variant(x, eps, place=place)[0], x)
    return gradient
