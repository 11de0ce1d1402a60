"""GELU as an average: numbers that are kept or dropped by a draw of their own (lesson 32)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.gelu_forms import normal_cdf

GATES = ("keep if Z <= x", "keep half", "multiply by Z")


@dataclass(frozen=True)
class Gated:
    """What many draws of a gate make of one number: x times the gate."""

    x: float
    gate: str
    mean: float
    variance: float
    standard_error: float


def draw_gate(
    gate: str, x: Float[Tensor, "*shape"], generator: torch.Generator
) -> Float[Tensor, "*shape"]:
    """Draw one factor for each number, with Z a standard normal draw of its own.

    "keep if Z <= x" is 1 with probability Phi(x), else 0.  "keep half" is dropout's: 1 with
    probability 1/2, whatever x is.  "multiply by Z" is Z itself.
    """
    if gate not in GATES:
        raise ValueError(f"gate must be one of {GATES}, got {gate!r}")
    z = torch.randn(x.shape, generator=generator, dtype=x.dtype)
    if gate == "multiply by Z":
        return z
    return (z <= (x if gate == "keep if Z <= x" else 0)).to(x.dtype)


def gated(x: float, gate: str, n_draws: int = 400_000, seed: int = 0) -> Gated:
    """Multiply one number by many draws of a gate.

    Units:
        the standard error is that of the mean.
    """
    require_number(x=x)
    require_whole(2, n_draws=n_draws)
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.full((n_draws,), float(x), dtype=torch.float64)
    out = numbers * draw_gate(gate, numbers, generator)
    variance = out.var().item()
    return Gated(x, gate, out.mean().item(), variance, (variance / n_draws) ** 0.5)


def gated_layers(
    n_layers: int, n_draws: int, width: int = 16, seed: int = 0
) -> tuple[Float[Tensor, " width"], Float[Tensor, " width"], Float[Tensor, " width"]]:
    """Run one input through layers that gate at random, many times, and through GELU layers.

    A layer is a matrix, then a gate (or GELU), then a matrix; all are drawn once.

    Returns:
        the average over the draws, its standard error, and what GELU in place of the gates gives.
    """
    require_whole(1, n_layers=n_layers, width=width)
    require_whole(2, n_draws=n_draws)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, width, generator=generator, dtype=torch.float64)
    drawn, fixed = x.expand(n_draws, -1), x
    for _ in range(n_layers):
        widen, narrow = torch.randn(2, width, width, generator=generator).double() / width**0.5
        drawn, fixed = drawn @ widen, fixed @ widen
        drawn = drawn * draw_gate("keep if Z <= x", drawn, generator) @ narrow
        fixed = fixed * normal_cdf(fixed) @ narrow
    return drawn.mean(0), drawn.std(0) / n_draws**0.5, fixed[0]
