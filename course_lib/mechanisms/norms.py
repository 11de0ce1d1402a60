"""Norms: give every position a fixed size before it is read."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from course_lib.config import NORMS, require_number, require_one_of, require_whole
from course_lib.mechanisms.own_gradient import run
from course_lib.mechanisms.require import require_floats, require_width


def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, " d_model"] | None = None,
    bias: Float[Tensor, " d_model"] | None = None,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    r"""Remove each position's mean and spread, then apply a learned gain and shift.

    .. math:: y = \frac{x - \bar x}{\sqrt{\operatorname{Var}(x) + \epsilon}} \cdot g + b

    Mean and variance are taken over the features of one position alone, so positions do not
    see each other here.  The variance is the biased one (divided by ``d_model``), and ``eps``
    stands inside the root.

    Raises:
        ValueError: if ``eps`` is negative (the root could then be undefined), or ``weight`` or
            ``bias`` does not hold one number for each feature.

    Source:
        Ba, Kiros and Hinton 2016, section 3.
    """
    require_floats(1, x=x)
    _require_eps(eps)
    weight = x.new_ones(x.shape[-1]) if weight is None else weight
    bias = x.new_zeros(x.shape[-1]) if bias is None else bias
    _require_one_a_feature(x, weight=weight, bias=bias)
    return _standardised(x, weight, bias, eps)


def _standardised(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
    """Normalise in float32 at least, and return what x is stored in."""
    # A sum of squares leaves float16's range, and an eps of 1e-12 is 0 in it.
    precise = torch.promote_types(x.dtype, torch.float32)
    y = run(LayerNormFunction, x.to(precise), weight.to(precise), bias.to(precise), eps)
    return y.to(x.dtype)


def _require_eps(eps: object) -> None:
    """Raise unless `eps` is a finite number >= 0."""
    require_number(eps=eps)
    if eps < 0:
        raise ValueError(f"eps must be >= 0, got {eps}")


def _require_one_a_feature(x: Tensor, **given: object) -> None:
    """Raise unless each is a vector as long as x is wide; others might broadcast unnoticed."""
    require_floats(1, **given)
    for name, vector in given.items():
        if vector.shape != x.shape[-1:]:
            raise ValueError(
                f"{name} must have shape {tuple(x.shape[-1:])}, one number for each feature of x, "
                f"got {tuple(vector.shape)}"
            )


class LayerNormFunction(torch.autograd.Function):
    """Mean 0 and variance 1 for every position, gain and shift, with the derivative written out.

    Two directions of x cannot change the result, because normalising removes them: adding the
    same number to every feature, and scaling all of them.  So the gradient loses its mean and
    its part along the standardised y.
    """

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        """Normalise each position, and keep what the gradient will need."""
        centred = x - x.mean(dim=-1, keepdim=True)
        centred -= centred.mean(dim=-1, keepdim=True)  # what rounding left of the mean
        length = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)  # [*batch, 1]
        shrink = (length.square_() / x.shape[-1]).add_(eps).rsqrt_()
        y = centred.mul_(shrink)
        ctx.save_for_backward(weight, y, shrink)
        return torch.addcmul(bias, y, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of x, weight and bias; none for eps."""
        weight, y, shrink = ctx.saved_tensors
        d_model = y.shape[-1]
        rows = upstream.reshape(-1, d_model)
        along_y = rows * y.reshape(-1, d_model)
        ones = y.new_ones(len(rows))  # a product with ones is the fastest sum
        to_weight, to_bias = ones @ along_y, ones @ rows
        lost_along = (along_y @ weight).view_as(shrink) / -d_model
        lost_mean = (rows @ weight).view_as(shrink) / -d_model
        to_x = torch.addcmul(lost_mean, upstream, weight).addcmul_(y, lost_along).mul_(shrink)
        return to_x, to_weight, to_bias, None


class LayerNorm(nn.Module):
    """:func:`layer_norm` with its own gain ``weight`` (starts at 1) and shift ``bias`` (at 0)."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        require_whole(1, d_model=d_model)
        _require_eps(eps)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalise every position of ``x``."""
        require_width(len(self.weight), x=x)
        return _standardised(x, self.weight, self.bias, self.eps)


def rms_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, " d_model"] | None = None,
    eps: float = 1e-6,
) -> Float[Tensor, "*batch d_model"]:
    r"""Divide each position by the root of its mean square, then apply a learned gain.

    .. math:: y = \frac{x}{\sqrt{\overline{x^2} + \epsilon}} \cdot g

    The mean is not subtracted: the size of x is removed, its direction stays.

    Raises:
        ValueError: if ``eps`` is negative, or ``weight`` does not hold one number for each
            feature.

    Source:
        Zhang and Sennrich 2019, section 4, equation 4; ``eps`` as in released code.
    """
    require_floats(1, x=x)
    _require_eps(eps)
    precise = torch.promote_types(x.dtype, torch.float32)  # as for layer norm
    y = run(RMSNormFunction, x.to(precise), eps)
    if weight is not None:
        _require_one_a_feature(x, weight=weight)
        y = y * weight
    return y.to(x.dtype)


class RMSNormFunction(torch.autograd.Function):
    """Mean square 1 for every position, with the derivative written out.

    One direction of x cannot change the result, because normalising removes it: scaling all
    features.  So the gradient loses its part along the normalised y.
    """

    @staticmethod
    def forward(ctx, x: Tensor, eps: float) -> Tensor:
        """Normalise each position, and keep what the gradient will need."""
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)  # [*batch, 1]
        shrink = (length.square_() / x.shape[-1]).add_(eps).rsqrt_()
        y = x * shrink
        ctx.save_for_backward(y, shrink)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Gradient of x; none for eps."""
        y, shrink = ctx.saved_tensors
        lost_along = (upstream * y).mean(dim=-1, keepdim=True).neg_()
        return torch.addcmul(upstream, y, lost_along).mul_(shrink), None


class RMSNorm(nn.Module):
    """:func:`rms_norm` with its own gain ``weight`` (starts at 1)."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        require_whole(1, d_model=d_model)
        _require_eps(eps)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalise every position of ``x``."""
        return rms_norm(x, self.weight, self.eps)


def norm_for(kind: str, d_model: int, eps: float) -> LayerNorm | RMSNorm:
    """Make the norm that a configuration names: "layer" or "rms"."""
    require_one_of(NORMS, kind=kind)
    return RMSNorm(d_model, eps) if kind == "rms" else LayerNorm(d_model, eps)
