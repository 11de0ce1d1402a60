"""Muon: a matrix steps by its momentum with all directions made equally long."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.optim.adamw import AdamW

# x -> a x + b x^3 + c x^5: found by Jordan so that small singular values rise fast.
_A, _B, _C = 3.4445, -4.7750, 2.0315
_SHORTEST = 1e-12  # what is shorter counts as no gradient at all, and is not blown up


def orthogonalise(
    matrices: Float[Tensor, "*batch row column"], n_iterations: int = 5
) -> Float[Tensor, "*batch row column"]:
    r"""Bring all singular values of each matrix near 1 and keep its directions.

    With the singular value decomposition :math:`G = U S V^\top` the aim is :math:`U V^\top`.
    Instead of decomposing, G is divided by its length, so that no singular value is above 1,
    and then each iteration sends all of them through one odd polynomial:

    .. math:: X \leftarrow a X + b\,(X X^\top) X + c\,(X X^\top)^2 X

    It has no fixed point at 1: singular values end up between about 0.7 and 1.2, which is near
    enough for an update.  Those that start below 3.4^-n_iterations are still smaller.

    Args:
        matrices: of any shape; X X^T is taken on the shorter side.  One of zeros stays so.
        n_iterations: 5 in the source.

    Cost:
        For m rows and n >= m columns, n_iterations * (4 m^2 n + 2 m^3) floating-point operations.
        From n = 2 m on the polynomials are multiplied first, m by m, and applied once at the
        end: 4 m^2 n + n_iterations * 8 m^3.

    Source:
        Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks".
    """
    require_whole(1, n_iterations=n_iterations)
    if matrices.ndim < 2 or not matrices.is_floating_point():
        raise ValueError(
            f"matrices must be floating-point with at least 2 axes, got {matrices.dtype} of "
            f"shape {tuple(matrices.shape)}"
        )
    x = matrices.reshape(-1, *matrices.shape[-2:])  # one stack, as the fused products below take
    n_rows, n_columns = x.shape[-2:]
    if n_columns >= 2 * n_rows:
        x = _product_of_polynomials(x @ x.mT, n_iterations) @ x
    elif n_rows >= 2 * n_columns:
        x = x @ _product_of_polynomials(x.mT @ x, n_iterations)
    else:
        x = x / torch.linalg.matrix_norm(x, keepdim=True).clamp_min(_SHORTEST)
        for _ in range(n_iterations):
            x = torch.baddbmm(x, _without_a(x @ x.mT), x, beta=_A)
    return x.view_as(matrices)


def _without_a(gram: Tensor) -> Tensor:
    """Return b (X X^T) + c (X X^T)^2 in one pass over memory."""
    return torch.baddbmm(gram, gram, gram, beta=_B, alpha=_C)


def _product_of_polynomials(gram: Tensor, n_iterations: int) -> Tensor:
    """Multiply the polynomials of all iterations: the product is what X has to be multiplied by.

    If X becomes P X, then X X^T becomes P (X X^T) P, because P is a polynomial in X X^T.  The
    length of X is the root of its trace, so X itself need not be divided by it.
    """
    length = gram.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None].sqrt()
    length = length.clamp_min(_SHORTEST)
    gram, product = gram / length / length, None
    for i in range(n_iterations):
        factor = _without_a(gram)
        factor.diagonal(dim1=-2, dim2=-1).add_(_A)
        product = factor if product is None else factor @ product
        if i < n_iterations - 1:
            gram = factor @ gram @ factor
    return product / length


class Muon(AdamW):
    r"""Muon for matrices, AdamW for everything else, in one optimiser with one rate.

    .. math::
        M \leftarrow \mu M + (1 - \mu)\, G, \qquad
        W \leftarrow (1 - \eta\lambda) W
            - 0.2 \sqrt{\max(m, n)}\;\eta\,\operatorname{orth}((1 - \mu) G + \mu M)

    A gradient is often dominated by a few directions; Muon steps equally far along all that it
    has.  The factor gives the numbers of such an update a root mean square of 0.2, about that
    of Adam's updates, so that both can share a learning rate.

    Args:
        matrices: the weights, each of 2 axes, that Muon updates: those of hidden layers.  Tensors,
            or groups with settings of their own; with ``n_parts``, each of a group's matrices is
            so many of equal height, one below the other, as those of the heads are.
        others: what AdamW updates: token tables, output layers, gains and biases.  Tensors, or
            groups with settings of their own, as for AdamW.
        lr, betas, eps, weight_decay: as for AdamW; ``betas`` and ``eps`` are for the others.
        momentum: mu.
        n_iterations: of :func:`orthogonalise`; one less saves time and costs accuracy.

    Cost:
        For each matrix, that of :func:`orthogonalise`, whatever the batch: less for the same
        numbers in several parts.  One number of memory for each weight, where AdamW has two.

    Source:
        Jordan et al. 2024 (momentum in Nesterov's form, 5 iterations).  The factor and the
        decay: Liu et al. 2025, "Muon is scalable for LLM training", section 2.2.  Parts:
        Zhang et al. 2026, "When and why grouping attention heads accelerates Muon optimization".
    """

    def __init__(
        self, matrices: Iterable, others: Iterable = (), lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2,
        momentum: float = 0.95, n_iterations: int = 5,
    ):  # fmt: skip
        matrices, others = _as_groups(matrices), _as_groups(others)
        for group in matrices:
            _require_matrices(group)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must lie in [0, 1), got {momentum}")
        require_whole(1, n_iterations=n_iterations)
        own = {"momentum": momentum, "n_iterations": n_iterations, "n_parts": 1}
        super().__init__([{**own, **group} for group in matrices] + others, lr, betas, eps,
                         weight_decay)  # fmt: skip

    def _step_group(self, group: dict[str, Any]) -> None:
        """Update a group: by AdamW, or the matrices of Muon, those of one shape together."""
        if "momentum" not in group:
            return super()._step_group(group)
        for matrices in _by_shape(group["params"]):
            # All of one shape at once: they share the overhead of many small products.
            steps = self._ahead(matrices, group["momentum"])
            parts = steps.unflatten(-2, (group["n_parts"], -1))
            steps = orthogonalise(parts, group["n_iterations"]).flatten(-3, -2)
            size = 0.2 * math.sqrt(max(parts.shape[-2:])) * group["lr"]
            torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_add_(matrices, steps.unbind(), alpha=-size)

    def _ahead(self, matrices: list, momentum: float) -> Tensor:
        """Bring the momentum of matrices up to date; return them one gradient ahead (Nesterov)."""
        for matrix in matrices:
            if not self.state[matrix]:
                self.state[matrix]["momentum"] = torch.zeros_like(matrix)
        kept = [self.state[matrix]["momentum"] for matrix in matrices]
        gradients = [matrix.grad for matrix in matrices]
        torch._foreach_lerp_(kept, gradients, 1 - momentum)
        return torch.stack(torch._foreach_lerp(gradients, kept, momentum))


def _as_groups(parameters: Iterable) -> list[dict[str, Any]]:
    """Return groups, one of them all when there are none yet."""
    given = list(parameters)
    if given and isinstance(given[0], dict):
        return [{**group, "params": list(group["params"])} for group in given]
    return [{"params": given}] if given else []


def _require_matrices(group: Mapping[str, Any]) -> None:
    """Raise unless a group's tensors are matrices whose rows fall into n_parts equal parts."""
    n_parts = group.get("n_parts", 1)
    require_whole(1, n_parts=n_parts)
    for matrix in group["params"]:
        if matrix.ndim != 2:
            raise ValueError(f"matrices must have 2 axes, got shape {tuple(matrix.shape)}")
        if matrix.shape[0] % n_parts:
            raise ValueError(
                f"n_parts must divide the rows of its matrices, got {n_parts} for "
                f"{tuple(matrix.shape)}"
            )


def _by_shape(matrices: list[Tensor]) -> list[list[Tensor]]:
    """Sort the matrices that have a gradient by their shape."""
    sorted_: dict[tuple[int, ...], list[Tensor]] = {}
    for matrix in matrices:
        if matrix.grad is not None:
            sorted_.setdefault(tuple(matrix.shape), []).append(matrix)
    return list(sorted_.values())
