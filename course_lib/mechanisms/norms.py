"""Layer norm: give every position mean 0 and variance 1 before it is read."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


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
        ValueError: if ``eps`` is negative: the root could then be undefined.

    Source:
        Ba, Kiros and Hinton 2016, section 3.
    """
    if not eps >= 0:
        raise ValueError(f"eps must be >= 0, got {eps}")
    y, _ = _Standardise.apply(x, eps)
    if weight is not None and bias is not None:
        return torch.addcmul(bias, y, weight)  # y * weight + bias, in one pass
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


class _Standardise(torch.autograd.Function):
    """Mean 0 and variance 1 for every position, with the derivative written out.

    Two directions cannot be changed from outside, because normalising removes them: adding the
    same number to every feature, and scaling all of them.  So the gradient loses its mean and
    its part along the output.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # [*batch, 1]
        shrink = torch.rsqrt(variance + eps)
        return centred.mul_(shrink), shrink

    @staticmethod
    def setup_context(ctx, inputs: tuple, output: tuple) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*output)

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor, _: Tensor) -> tuple[Tensor, None]:
        y, shrink = ctx.saved_tensors
        along = (upstream * y).mean(dim=-1, keepdim=True)
        rest = upstream - upstream.mean(dim=-1, keepdim=True)
        return rest.addcmul_(y, along, value=-1).mul_(shrink), None


class LayerNorm(nn.Module):
    """:func:`layer_norm` with its own gain ``weight`` (starts at 1) and shift ``bias`` (at 0)."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalise every position of ``x``."""
        return layer_norm(x, self.weight, self.bias, self.eps)
