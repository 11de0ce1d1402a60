"""What several mechanisms ask of their inputs; each look is at the type and shape alone.

Without these, torch's own errors would come from deep inside and name none of our arguments.
"""

import torch
from torch import Tensor

from course_lib.config import require_number


def require_tensor(**given: object) -> None:
    """Raise a TypeError that names the first argument that is no tensor."""
    for name, x in given.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a tensor, got {type(x).__name__}")


def require_floats(min_axes: int = 0, **given: object) -> None:
    """Raise an error that names the first argument that holds no floats or has too few axes."""
    for name, x in given.items():
        if not isinstance(x, Tensor):
            require_tensor(**{name: x})
        if not x.is_floating_point():
            raise TypeError(f"{name} must hold floating-point numbers, got {x.dtype}")
        if x.ndim < min_axes:
            raise ValueError(f"{name} must have at least {min_axes} axes, got {tuple(x.shape)}")


def require_width(width: int, **given: object) -> None:
    """Raise an error that names the first argument whose last axis is not `width` long."""
    require_floats(1, **given)
    for name, x in given.items():
        if x.shape[-1] != width:
            raise ValueError(f"{name} must be {width} wide, got shape {tuple(x.shape)}")


def require_bool(**given: object) -> None:
    """Raise a TypeError that names the first argument that is no mask of True and False."""
    require_tensor(**given)
    for name, mask in given.items():
        if mask.dtype != torch.bool:
            raise TypeError(f"{name} must be bool, True where a key may be read, got {mask.dtype}")


def require_integers(**given: object) -> None:
    """Raise an error that names the first argument that holds no whole numbers, or nothing."""
    require_tensor(**given)
    for name, x in given.items():
        if x.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"{name} must hold whole numbers (int64), got {x.dtype}")
        if x.numel() == 0:
            raise ValueError(f"{name} must not be empty, got shape {tuple(x.shape)}")


def require_position_ids(position_ids: object, texts: tuple[int, ...]) -> None:
    """Raise unless the ids number the positions of each text, or once those of all of them."""
    require_integers(position_ids=position_ids)
    shape = tuple(position_ids.shape)
    fits = shape[-1:] == texts[-1:] and len(shape) <= len(texts)
    if not fits or any(n not in (1, m) for n, m in zip(shape[::-1], texts[::-1], strict=False)):
        wanted = " or ".join(dict.fromkeys((str(texts), str(texts[-1:]))))
        raise ValueError(
            f"position_ids must hold one number for each position, shape {wanted}, got {shape}"
        )


def require_in_table(ids: Tensor, name: str, size_name: str, size: int) -> None:
    """Raise an error that names the first id without a row in a table of `size` rows."""
    smallest, largest = (int(bound) for bound in ids.aminmax())
    if smallest < 0 or largest >= size:
        wrong = smallest if smallest < 0 else largest
        raise ValueError(f"{name} must lie in [0, {size_name}={size}), got {wrong}")


def require_pairs(**widths: object) -> None:
    """Raise an error that names the first width that does not split into pairs."""
    for name, width in widths.items():
        if width < 2 or width % 2:
            raise ValueError(f"{name} must be even, one pair for each frequency, got {width}")


def require_base(base: object) -> None:
    """Raise unless ``base`` can be the root of a row of falling frequencies."""
    require_number(base=base)
    if base <= 0:
        raise ValueError(f"base must be > 0, got {base}")
