"""Activations: the bend between the two layers of the feed-forward block."""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from course_lib.mechanisms.own_gradient import run
from course_lib.mechanisms.require import require_floats


def gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Multiply each number by the probability that a standard normal draw lies below it.

    .. math:: \operatorname{GELU}(x) = x \, \Phi(x)
              = \tfrac{x}{2} \left(1 + \operatorname{erf}(x / \sqrt 2)\right)

    Source:
        Hendrycks and Gimpel 2016, section 2.  BERT was first released with this form; its later
        code has the tanh form.
    """
    require_floats(x=x)
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Approximate :func:`gelu` with a hyperbolic tangent, as the released GPT-2 does.

    .. math:: \tfrac{x}{2} \left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right)

    Source:
        Hendrycks and Gimpel 2016, section 2 (the constant 0.044715 is theirs).
    """
    require_floats(x=x)
    # The slope holds x^3, which leaves float16's range where x does not.
    return run(_GeluTanh, x.to(torch.promote_types(x.dtype, torch.float32))).to(x.dtype)


def gelu_sigmoid(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Approximate :func:`gelu` with a logistic function: :math:`x\,\sigma(1.702\,x)`.

    Source:
        Hendrycks and Gimpel 2016, section 2.
    """
    require_floats(x=x)
    return x * torch.sigmoid(1.702 * x)


def silu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Multiply each number by its logistic function: :math:`x\,\sigma(x)`.

    Source:
        Hendrycks and Gimpel 2016, section 2 (SiLU); Ramachandran et al. 2017 (Swish).
    """
    require_floats(x=x)
    return x * torch.sigmoid(x)


def relu_squared(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Set what is negative to 0 and square the rest: :math:`\max(0, x)^2`.

    Its slope has no jump at 0, and grows with x: what agrees well with a direction counts more.

    Source:
        So et al. 2021 (Primer), section 4.
    """
    require_floats(x=x)
    return run(_ReluSquared, x)


class _ReluSquared(torch.autograd.Function):
    """The square of a ReLU; the slope is twice the ReLU, and made anew when it is needed.

    One new tensor on the way there and one on the way back: see :class:`_GeluTanh`.
    """

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.clamp_min(0).square_()

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return x.clamp_min(0).mul_(upstream).mul_(2)


class _GeluTanh(torch.autograd.Function):
    """The tanh form, with its slope worked out on the way, so that going back is one product.

    These are the largest tensors of a small GPT (the inner width is four times the model's),
    and making a large tensor costs more than the arithmetic on it: hence the steps in place.
    """

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        gain, cubic = 2 * math.sqrt(2 / math.pi), 2 * math.sqrt(2 / math.pi) * 0.044715
        square = x * x
        # (1 + tanh(u)) / 2 is the logistic function of 2u: two passes fewer.
        gate = square.mul(cubic).add_(gain).mul_(x).sigmoid_()
        y = x * gate
        if ctx.needs_input_grad[0]:
            inner_slope = square.mul_(3 * cubic).add_(gain)
            gate_slope = torch.ops.aten.sigmoid_backward(inner_slope, gate)  # ... gate (1 - gate)
            ctx.save_for_backward(gate.addcmul_(gate_slope, x))  # dy / dx
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor) -> Tensor:
        (slope,) = ctx.saved_tensors
        return upstream * slope
