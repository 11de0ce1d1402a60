"""Positions: how order gets in when it is added to the vectors of the tokens.

``rotary`` holds the other way, which turns queries and keys and adds nothing.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.mechanisms.masks import require_real
from course_lib.mechanisms.require import (
    require_base,
    require_in_table,
    require_integers,
    require_pairs,
)


class LearnedPositions(nn.Embedding):
    """A table with one learned row for each position; it ends at ``max_seq_len``.

    Source:
        Radford et al. 2018, section 4.1; BERT has them in the released code
        (``embedding_postprocessor``).
    """

    def forward(self, position_ids: Int[Tensor, "*batch seq"]) -> Float[Tensor, "*batch seq d"]:
        """Look the rows of these positions up.

        Raises:
            TypeError: if they are not whole numbers.
            ValueError: if the table has no row for one of them.
        """
        require_integers(position_ids=position_ids)
        try:
            require_in_table(position_ids, "position_ids", "max_seq_len", self.num_embeddings)
        except ValueError as error:
            raise ValueError(f"{error}: the table has no row for it") from None
        return super().forward(position_ids)


class SinusoidalPositions(nn.Module):
    """:func:`sinusoidal_positions` as a layer: nothing to learn, and no last position."""

    def __init__(self, d_model: int, base: float = 10_000.0):
        super().__init__()
        require_pairs(d_model=d_model)
        require_base(base)
        self.d_model, self.base = d_model, base

    def forward(self, position_ids: Int[Tensor, "*batch seq"]) -> Float[Tensor, "*batch seq d"]:
        """Work the vectors out, in float64 on the processor; the model rounds and moves them."""
        return _waves(position_angles(position_ids, self.d_model, self.base))


def sinusoidal_positions(
    n_positions: int, d_model: int, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "position d_model"]:
    r"""Give each position the sine and cosine of ``d_model / 2`` angles that grow with it.

    .. math::
        PE_{p, 2i} = \sin(p\,\theta_i), \qquad PE_{p, 2i+1} = \cos(p\,\theta_i), \qquad
        \theta_i = \text{base}^{-2i/d}

    Units:
        angles in radians; pair ``i`` turns once in ``2 pi base^(2i/d)`` positions.

    Source:
        Vaswani et al. 2017, section 3.5.
    """
    require_whole(1, n_positions=n_positions)
    if not dtype.is_floating_point:
        raise TypeError(f"dtype must be one of floating-point numbers, got {dtype}")
    return _waves(position_angles(torch.arange(n_positions), d_model, base)).to(dtype)


def shift_matrix(
    offset: int, d_model: int, base: float = 10_000.0
) -> Float[Tensor, "d_model d_model"]:
    r"""Return M, in float64, with :math:`PE_{p + \text{offset}} = M\,PE_p` at every position.

    M turns every pair by its own angle.  It knows the offset and not the position.

    Source:
        Vaswani et al. 2017, section 3.5, states that such a matrix exists.
    """
    angles = position_angles(torch.tensor([offset]), d_model, base).squeeze(0)
    cos, sin = angles.cos(), angles.sin()
    turns = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)  # [pair, 2, 2]
    return torch.block_diag(*turns)


def position_angles(
    position_ids: Int[Tensor, "*batch seq"], width: int, base: float = 10_000.0
) -> Float[Tensor, "*batch seq pair"]:
    r"""Return :math:`p\,\theta_i = p \cdot \text{base}^{-2i/\text{width}}` for each pair i.

    Always in float64 and on the processor: a float32 has 24 binary digits, and at position 8191
    thirteen of them are spent before the point.  Who uses the angles takes their sines and
    cosines first, and rounds or moves those.

    Raises:
        TypeError, ValueError: if the ids are no whole numbers, ``width`` is odd, or ``base`` is
            not a positive number.
    """
    require_integers(position_ids=position_ids)
    require_pairs(width=width)
    require_base(base)
    # On the processor, whatever the model runs on: some accelerators have no float64.
    exponents = -torch.arange(0, width, 2, dtype=torch.float64, device="cpu") / width
    return position_ids.to("cpu", torch.float64)[..., None] * base**exponents


def count_positions(real: Bool[Tensor, "batch seq"]) -> Int[Tensor, "batch seq"]:
    """Number the real tokens of each text 0, 1, 2 ..., wherever its padding stands.

    Padding gets the number of its place: any would do, because nobody reads it.

    Raises:
        TypeError, ValueError: as for ``masks.padding_mask``.
    """
    require_real(real)
    places = torch.arange(real.shape[1], device=real.device)
    return torch.where(real, real.cumsum(dim=-1) - 1, places)


def _waves(angles: Float[Tensor, "*batch pair"]) -> Float[Tensor, "*batch width"]:
    """Lay sine and cosine of each angle side by side."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
