"""What several mechanisms ask of their inputs; each look is at the type and shape alone.

Without these, torch's own errors would come from deep inside and name none of our arguments.
"""

from torch import Tensor


def require_tensor(**given: object) -> None:
    """Raise a TypeError that names the first argument that is no tensor."""
    for name, x in given.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a tensor, got {type(x).__name__}")


def require_floats(min_axes: int = 0, **given: object) -> None:
    """Raise an error that names the first argument that holds no floats or has too few axes."""
    require_tensor(**given)
    for name, x in given.items():
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
