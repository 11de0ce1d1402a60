"""Feed-forward: what each position does with what it has read, on its own."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.mechanisms.activations import gelu_tanh, silu
from course_lib.mechanisms.require import require_width


class FeedForward(nn.Module):
    r"""Widen each position, bend, and narrow it again; positions do not see each other.

    .. math:: \operatorname{FFN}(x) = \operatorname{act}(x W_1 + b_1)\, W_2 + b_2

    Args:
        d_model: width of the residual stream.
        d_ff: inner width, usually 4 * d_model.
        activation: the bend, one of ``mechanisms.activations``.
        bias: False leaves both shifts out.

    Source:
        Vaswani et al. 2017, section 3.3, equation 2, with GELU in place of ReLU.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        activation: Callable[[Tensor], Tensor] = gelu_tanh,
        *,
        bias: bool = True,
    ):
        super().__init__()
        require_whole(1, d_model=d_model, d_ff=d_ff)
        if not callable(activation):
            raise TypeError(f"activation must be a function, got {activation!r}")
        self.activation = activation
        self.widen = nn.Linear(d_model, d_ff, bias=bias)
        self.narrow = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Return what the sublayer adds to the residual stream at each position."""
        require_width(self.widen.in_features, x=x)
        return self.narrow(self.activation(self.widen(x)))


class GatedFeedForward(nn.Module):
    r"""Two widenings, of which one decides how much of the other passes: SwiGLU.

    .. math:: \operatorname{FFN}(x) = (\operatorname{act}(x W_{gate}) \odot x W_1)\, W_2

    Without biases.  Three matrices instead of two: ``d_ff`` of 8/3 d_model has as many numbers
    as a plain feed-forward layer of 4 d_model.

    Args:
        d_model: width of the residual stream.
        d_ff: inner width.
        activation: the bend of the gate; SiLU makes it SwiGLU.

    Source:
        Shazeer 2020, equation 6.
    """

    def __init__(self, d_model: int, d_ff: int, activation: Callable[[Tensor], Tensor] = silu):
        super().__init__()
        require_whole(1, d_model=d_model, d_ff=d_ff)
        if not callable(activation):
            raise TypeError(f"activation must be a function, got {activation!r}")
        self.activation = activation
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.widen = nn.Linear(d_model, d_ff, bias=False)
        self.narrow = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Return what the sublayer adds to the residual stream at each position."""
        require_width(self.widen.in_features, x=x)
        return self.narrow(self.activation(self.gate(x)) * self.widen(x))
