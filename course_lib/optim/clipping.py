"""Clipping: shorten a gradient that is too long, without turning it."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

NON_FINITE = ("raise", "skip")


def clip_by_global_norm(
    parameters: Iterable[nn.Parameter | Tensor] | Tensor,
    max_norm: float,
    *,
    non_finite: str = "raise",
) -> float:
    r"""Scale all gradients by one factor so that together they are at most ``max_norm`` long.

    .. math:: g \leftarrow g \cdot \min\left(1, \frac{c}{\lVert g \rVert}\right), \qquad
              \lVert g \rVert = \sqrt{\textstyle\sum_i g_i^2}

    The sum runs over every number of every gradient, so the direction stays as it was; clipping
    each tensor for itself would turn it.

    Args:
        parameters: those without a gradient (None) are passed over; one that is listed twice
            counts once.
        max_norm: c; ``math.inf`` measures and changes nothing.
        non_finite: what to do when the norm is NaN or infinite.  No gradient is changed then: a
            scale of NaN would spread one bad number to every weight.  "raise" stops; "skip"
            returns the norm as it is, and the caller must leave the update out.  There is no
            "zero": with all gradients set to 0 Adam would still step, by what it remembers.

    Returns:
        The norm before clipping; 0 when there is no gradient.

    Raises:
        ValueError: if ``max_norm`` is not positive, or the norm is not finite and ``non_finite``
            is "raise".

    Source:
        Pascanu, Mikolov and Bengio 2013, algorithm 1.  Differs from torch's
        ``clip_grad_norm_``: no 1e-6 is added to the norm.
    """
    if not max_norm > 0:
        raise ValueError(f"max_norm must be > 0, got {max_norm}")
    if non_finite not in NON_FINITE:
        raise ValueError(f"non_finite must be one of {NON_FINITE}, got {non_finite!r}")
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    gradients = [p.grad for p in {id(p): p for p in listed}.values() if p.grad is not None]
    norm = _global_norm(gradients)
    if not math.isfinite(norm) and non_finite == "raise":
        raise ValueError(f"the gradient norm must be finite, got {norm}")
    if max_norm < norm < math.inf:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    return norm


@torch.no_grad()
def _global_norm(gradients: list[Tensor]) -> float:
    """Length of all gradients laid end to end."""
    if not gradients:
        return 0.0
    # At least fp32: half precision would overflow at norms that it can hold element by element.
    norms = [
        torch.linalg.vector_norm(g, dtype=torch.promote_types(g.dtype, torch.float32))
        for g in gradients
    ]
    return torch.linalg.vector_norm(torch.stack([n.to(norms[0].device) for n in norms])).item()
