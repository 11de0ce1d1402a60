"""How published files keep our parameters: name maps that can be read in both directions."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Stored:
    """What one published tensor holds of ours.

    Attributes:
        ours: names of our parameters, in the order in which they stand side by side.
        turned: True for a matrix that is kept as ``[d_in, d_out]``, the transpose of what
            nn.Linear keeps.
    """

    ours: tuple[str, ...]
    turned: bool = False

    def shape(self, parameters: Mapping[str, Tensor]) -> tuple[int, ...]:
        """Return the shape that the published tensor must have, to fill these parameters."""
        shapes = [tuple(self._turn(parameters[name]).shape) for name in self.ours]
        return (*shapes[0][:-1], sum(shape[-1] for shape in shapes))

    def pack(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """Make the published tensor out of our parameters."""
        parts = [self._turn(parameters[name].detach()) for name in self.ours]
        return torch.cat(parts, dim=-1)  # [..., all widths]; of one part, a copy

    def unpack(self, tensor: Tensor, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Cut the published tensor into the values of our parameters."""
        widths = [self._turn(parameters[name]).shape[-1] for name in self.ours]
        parts = tensor.split(widths, dim=-1)
        return {name: self._turn(part) for name, part in zip(self.ours, parts, strict=True)}

    def _turn(self, tensor: Tensor) -> Tensor:
        return tensor.T if self.turned and tensor.ndim == 2 else tensor


def renamed(
    tensors: object, prefix: str, older: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Take a prefix off the names and replace older endings by newer ones.

    Raises:
        TypeError: if ``tensors`` maps no names to anything.
        ValueError: if two of them come to have the same name: which one was meant?
    """
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors must map names to tensors, got {type(tensors).__name__}")
    result = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"tensors must have names that are text, got {name!r}")
        new = name.removeprefix(prefix)
        for old_end, new_end in (older or {}).items():
            if new.endswith(old_end):
                new = new.removesuffix(old_end) + new_end
        if new in result:
            raise ValueError(f"tensors must hold {new!r} once, got it under two names")
        result[new] = tensor
    return result


def require_fields(config: object, family: str, wanted: Mapping[str, object]) -> None:
    """Raise a ValueError that names the first field in which a shape is not of this family."""
    for field, value in wanted.items():
        if (got := getattr(config, field)) != value:
            raise ValueError(f"model must have {field}={value!r}, as {family} has, got {got!r}")
