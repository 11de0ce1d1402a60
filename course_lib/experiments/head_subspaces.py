"""Do heads read subspaces at right angles to each other?  Principal angles tell (lesson 23)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole


@dataclass(frozen=True)
class Overlaps:
    """How the subspaces of several heads lie to each other, and how they lie together."""

    d_model: int
    d_head: int
    cosines: Float[Tensor, "pair angle"]
    joint_rank: int

    @property
    def mean_square(self) -> float:
        """The mean cos^2 of all principal angles: 0 at right angles, 1 for the same subspace."""
        return self.cosines.square().mean().item()

    @property
    def expected(self) -> float:
        """What chance gives: d_head / d_model, the share of the width that a head takes."""
        return self.d_head / self.d_model


def subspace_overlaps(columns: Float[Tensor, "head d_model d_head"]) -> Overlaps:
    r"""Measure the principal angles between the column spaces of every pair of heads.

    With orthonormal bases Q_a and Q_b, the singular values of Q_a^T Q_b are the cosines of the
    principal angles: the best match between a direction of a and one of b, then the next best
    at right angles to it, and so on.

    Raises:
        ValueError: for fewer than two heads, or heads wider than the model.

    Source:
        Bjorck and Golub 1973, "Numerical Methods for Computing Angles Between Linear Subspaces".
    """
    n_heads, d_model, d_head = columns.shape
    if n_heads < 2 or d_head > d_model:
        raise ValueError(
            "columns must hold two or more heads, each at most as wide as the model, "
            f"got shape {tuple(columns.shape)}"
        )
    bases = torch.linalg.qr(columns.detach().double()).Q
    first, second = torch.triu_indices(n_heads, n_heads, offset=1)
    cosines = torch.linalg.svdvals(bases[first].transpose(-2, -1) @ bases[second])
    joint = bases.transpose(0, 1).flatten(1)  # [d_model, n_heads * d_head]
    return Overlaps(d_model, d_head, cosines.clamp(max=1), int(torch.linalg.matrix_rank(joint)))


def random_columns(
    d_model: int, n_heads: int, seed: int = 0, *, orthogonal: bool = False
) -> Float[Tensor, "head d_model d_head"]:
    """Draw heads as a fresh model has them, or force them to right angles by one QR for all."""
    require_whole(1, d_model=d_model, n_heads=n_heads)
    if d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model={d_model}, got {n_heads}")
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(d_model, d_model, generator=generator, dtype=torch.float64)
    weight = torch.linalg.qr(weight).Q if orthogonal else weight
    return weight.unflatten(1, (n_heads, -1)).transpose(0, 1)
