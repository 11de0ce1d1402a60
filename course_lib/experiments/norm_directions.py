"""Which directions of the input a norm cannot see, and so sends no gradient back (lesson 31)."""

from collections.abc import Callable
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.norms import layer_norm, rms_norm

NORMS = MappingProxyType({"layer norm": layer_norm, "RMS norm": rms_norm})


def norm_jacobian(
    kind: str, x: Float[Tensor, " d_model"], eps: float = 0.0
) -> Float[Tensor, "d_model d_model"]:
    """Return J[i, j]: how much entry i of the output moves with entry j of x, by autograd."""
    if kind not in NORMS:
        raise ValueError(f"kind must be one of {tuple(NORMS)}, got {kind!r}")
    norm: Callable = NORMS[kind]
    return torch.autograd.functional.jacobian(lambda x: norm(x, eps=eps), x)


def reaction(
    jacobian: Float[Tensor, "d_model d_model"], direction: Float[Tensor, " d_model"]
) -> Float[Tensor, ""]:
    """Return how far the output moves for a step of length 1 in this direction of the input."""
    return (jacobian @ direction).norm() / direction.norm()


def a_position(
    d_model: int = 16, spread: float = 1.0, mean: float = 0.0, seed: int = 0
) -> Float[Tensor, " d_model"]:
    """Draw the features of one position with exactly this mean and (biased) spread."""
    require_whole(2, d_model=d_model)
    require_whole(0, seed=seed)
    require_number(spread=spread, mean=mean)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(d_model, generator=generator, dtype=torch.float64)
    return mean + spread * (drawn - drawn.mean()) / drawn.std(correction=0)
