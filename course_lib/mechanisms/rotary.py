"""Rotary positions: turn each query and key by its position; scores then see the offset."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.mechanisms.positions import position_angles
from course_lib.mechanisms.require import require_base, require_floats, require_position_ids

PAIRINGS = ("adjacent", "halves")


@dataclass(frozen=True)
class Rotary:
    r"""Turn the entries of a vector, two by two, each pair by an angle of its own.

    .. math::
        \begin{pmatrix} x_1' \\ x_2' \end{pmatrix} =
        \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\
        \sin p\theta_i & \cos p\theta_i \end{pmatrix}
        \begin{pmatrix} x_1 \\ x_2 \end{pmatrix},
        \qquad \theta_i = \text{base}^{-2i/d}

    The dot product of two turned vectors depends on their positions only through the offset
    between them, with its sign; and each keeps its length.

    Args:
        base: the larger, the slower the slow pairs turn.
        pairing: which entries make a pair: "adjacent" (0 with 1, 2 with 3, ..., as in the
            paper) or "halves" (0 with d/2, 1 with d/2 + 1, ..., as in many released models).
            The two are the same up to the order of the entries; weights fit one of them only.

    Source:
        Su et al. 2021, section 3.2.2, equations 14 and 15; computed as in equation 34.
    """

    base: float = 10_000.0
    pairing: str = "adjacent"

    def __post_init__(self):
        require_base(self.base)
        if self.pairing not in PAIRINGS:
            raise ValueError(f"pairing must be one of {PAIRINGS}, got {self.pairing!r}")

    def __call__(
        self, x: Float[Tensor, "*batch seq d_head"], position_ids: Int[Tensor, "*#batch seq"]
    ) -> Float[Tensor, "*batch seq d_head"]:
        """Turn every row of ``x`` by its position.

        Raises:
            TypeError, ValueError: if the width of ``x`` is odd, or there is not one whole
                number for each row.
        """
        require_floats(2, x=x)
        require_position_ids(position_ids, tuple(x.shape[:-1]))
        angles = position_angles(position_ids, x.shape[-1], self.base)
        cos, sin = angles.cos().to(x), angles.sin().to(x)
        if self.pairing == "adjacent":
            first, second = x[..., 0::2], x[..., 1::2]
        else:
            first, second = x.chunk(2, dim=-1)
        turned = [first * cos - second * sin, first * sin + second * cos]
        if self.pairing == "adjacent":
            return torch.stack(turned, dim=-1).flatten(-2)
        return torch.cat(turned, dim=-1)

    def at_once(
        self,
        x: Float[Tensor, "*batch seq head d_head"],
        position_ids: Int[Tensor, "*#batch seq"],
    ) -> Float[Tensor, "*batch seq head d_head"]:
        """Turn all heads of a position, the same and faster: this is what attention does.

        A neighbouring pair is read as one complex number.  Turning it is a product with
        cos + i sin, in one pass over memory and another for the gradient.
        """
        if not self._has_complex(x):
            return self(x.transpose(-3, -2), position_ids.unsqueeze(-2)).transpose(-3, -2)
        angles = position_angles(position_ids, x.shape[-1], self.base)
        turns = torch.polar(torch.ones_like(angles), angles).unsqueeze(-2)  # every head alike
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * turns.to(pairs.dtype).to(x.device)).flatten(-2)

    def _has_complex(self, x: Tensor) -> bool:
        """Tell whether neighbours make pairs here, and torch has complex numbers of this kind."""
        known = x.dtype in (torch.float32, torch.float64) and x.device.type in ("cpu", "cuda")
        return self.pairing == "adjacent" and known
