"""Softmax: turn any row of numbers into shares that are positive and sum to 1."""

import math
from numbers import Real

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.mechanisms.own_gradient import run
from course_lib.mechanisms.require import require_floats


def softmax(
    logits: Float[Tensor, "*shape"], dim: int = -1, temperature: float = 1.0
) -> Float[Tensor, "*shape"]:
    r"""Turn scores into shares: a score that is larger by 1 gets a share e times as large.

    .. math:: p_i = \frac{e^{x_i / T}}{\sum_j e^{x_j / T}}

    Only differences between scores count, so the largest is subtracted first: the result is the
    same, and no exponential can overflow.

    Args:
        logits: scores of any size; ``-inf`` gets a share of exactly 0.
        dim: the axis whose entries compete with each other.
        temperature: below 1 the largest score takes more, above 1 the shares even out.

    Returns:
        Shares along ``dim``, each row summing to 1.  A row of nothing but ``-inf`` is NaN:
        there is nothing to share between.

    Raises:
        TypeError, ValueError: if ``temperature`` is not a positive finite number, ``dim`` is no
            axis of ``logits``, or there is nothing along it.

    Source:
        Bridle 1990; the temperature is that of Hinton, Vinyals and Dean 2015, equation 1.
    """
    _require_fit(logits, dim, temperature)
    return run(SoftmaxFunction, logits if temperature == 1.0 else logits / temperature, dim)


class SoftmaxFunction(torch.autograd.Function):
    """Softmax with its derivative written out, which needs only the shares themselves.

    PyTorch could derive it from the forward pass; written by hand it keeps one tensor instead
    of three, and it is the formula that lesson 21 measures: J = diag(p) - p p^T.
    """

    @staticmethod
    def forward(ctx, logits: Tensor, dim: int) -> Tensor:
        """Shift, exponentiate, share out."""
        shifted = logits - logits.amax(dim, keepdim=True)
        # e^x as 2^(x log2 e): exp() on x86 is ten times slower where it meets the -inf of a
        # hidden key, exp2() is not.
        e = shifted.mul_(math.log2(math.e)).exp2_()
        p = e.div_(e.sum(dim, keepdim=True))
        ctx.save_for_backward(p)
        ctx.dim = dim
        return p

    @staticmethod
    def backward(ctx, upstream: Tensor) -> tuple[Tensor, None]:
        """Return J^T times the gradient that arrives."""
        (p,) = ctx.saved_tensors
        flow = upstream * p
        return flow.addcmul_(p, flow.sum(ctx.dim, keepdim=True), value=-1), None  # J^T upstream


def log_softmax(
    logits: Float[Tensor, "*shape"], dim: int = -1, temperature: float = 1.0
) -> Float[Tensor, "*shape"]:
    r"""Return the logarithm of :func:`softmax`, exact also where a share underflows to 0.

    .. math:: \log p_i = \frac{x_i}{T} - \log \sum_j e^{x_j / T}

    Raises:
        TypeError, ValueError: as for :func:`softmax`.

    Units:
        nats (natural logarithm).
    """
    _require_fit(logits, dim, temperature)
    scaled = logits if temperature == 1.0 else logits / temperature
    # What is subtracted does not change the result, so no gradient flows through it.
    shifted = scaled - scaled.detach().amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


def _require_fit(logits: object, dim: object, temperature: object) -> None:
    """Raise unless there are numbers to share out along the axis, at a temperature above 0."""
    require_floats(logits=logits)
    axes = max(1, logits.ndim)
    if not isinstance(dim, int) or not -axes <= dim < axes:
        raise ValueError(f"dim must be an axis of logits, {-axes} to {axes - 1}, got {dim!r}")
    if logits.ndim and not logits.shape[dim]:
        raise ValueError(f"logits must not be empty along dim={dim}, got {tuple(logits.shape)}")
    _require_temperature(temperature)


def _require_temperature(temperature: object) -> None:
    """Raise unless the temperature is a positive finite number."""
    if not isinstance(temperature, Real):
        raise TypeError(f"temperature must be a number, got {temperature!r}")
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be a finite number > 0, got {temperature}")
