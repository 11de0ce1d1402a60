"""What a norm does to the numbers of one position: scale, shift and outlier (lesson 31)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.norms import layer_norm, rms_norm

D_MODEL = 64


@dataclass(frozen=True)
class Normalised:
    """One position before and after both norms; its last feature is the outlier."""

    scale: float
    shift: float
    outlier: float
    eps: float
    before: Float[Tensor, " d_model"]
    layer: Float[Tensor, " d_model"]
    rms: Float[Tensor, " d_model"]


def normalised(
    scale: float = 1.0,
    shift: float = 0.0,
    outlier: float = 0.0,
    *,
    eps: float = 1e-5,
    d_model: int = D_MODEL,
    seed: int = 0,
) -> Normalised:
    """Draw one position's features, put them to scale, shift them, and normalise.

    The features are drawn from N(0, 1) and standardised, the last one is set to ``outlier``;
    then all are multiplied by ``scale``, and ``shift`` is added to all.

    Args:
        scale: greater than 0.
        eps: the same for both norms, so that only the mean tells them apart.
    """
    require_number(scale=scale, shift=shift, outlier=outlier)
    require_whole(3, d_model=d_model)
    require_whole(0, seed=seed)
    if scale <= 0:
        raise ValueError(f"scale must be > 0, got {scale}")
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(d_model, generator=generator, dtype=torch.float64)
    drawn[:-1] = (drawn[:-1] - drawn[:-1].mean()) / drawn[:-1].std(correction=0)
    drawn[-1] = outlier
    before = scale * drawn + shift
    outputs = layer_norm(before, eps=eps), rms_norm(before, eps=eps)
    return Normalised(scale, shift, outlier, eps, before, *outputs)


def positions_of_many_sizes(
    n_positions: int = 2000, d_model: int = D_MODEL, *, seed: int = 0
) -> Float[Tensor, "position d_model"]:
    """Draw normal features, each position's times a size of its own, e to a normal number."""
    require_whole(1, n_positions=n_positions, d_model=d_model)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    features, sizes = (
        torch.randn(n_positions, width, generator=generator, dtype=torch.float64)
        for width in (d_model, 1)
    )
    return features * sizes.exp()


def kurtosis(features: Float[Tensor, "*any"]) -> Float[Tensor, ""]:
    """Return the mean fourth power, measured in spreads: 3 for normal numbers, more with tails."""
    standard = (features - features.mean()) / features.std(correction=0)
    return standard.pow(4).mean()
