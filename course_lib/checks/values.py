"""Turn what a lesson measured into one plain tensor, and into few words."""

import math
from typing import Any

import torch
from torch import Tensor

DIGITS = 4
_SHOW_IN_FULL = 4


def as_values(name: str, given: Any) -> Tensor:
    """Numbers in any usual form as a detached float64, int64 or bool tensor; never empty."""
    try:
        tensor = _to_tensor(given)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise TypeError(
            f"{name} must be a number, a tensor, or a list of them, "
            f"all of the same shape; got {_short(given)}"
        ) from error
    if tensor.is_complex():
        raise TypeError(f"{name} must be real; got complex numbers")
    if tensor.numel() == 0:
        raise ValueError(f"{name} is empty: a statement about no values cannot be false")
    if tensor.dtype == torch.bool:
        return tensor
    return tensor.to(torch.float64 if tensor.is_floating_point() else torch.int64)


def as_numbers(name: str, given: Any) -> Tensor:
    """The same in float64, and no truth values: they have no size to compare."""
    values = as_values(name, given)
    if values.dtype == torch.bool:
        raise TypeError(f"{name} holds True/False; compare those with equals=")
    return values.double()


def _to_tensor(given: Any) -> Tensor:
    if isinstance(given, Tensor):
        given = given.detach().cpu()
        return given if given.layout == torch.strided else given.to_dense()
    if isinstance(given, list | tuple):
        # An empty list has no element type; torch would call it float32, and so do we.
        return torch.stack([_to_tensor(item) for item in given]) if given else torch.empty(0)
    if isinstance(given, float):
        return torch.tensor(given, dtype=torch.float64)
    if isinstance(given, str | dict | set) or given is None:
        raise TypeError("not numbers")
    return torch.as_tensor(given).detach().cpu()


def number(value: float | int | bool, digits: int = DIGITS) -> str:
    """One number as a reader would write it: 124,439,808 or 0.9913 or -inf."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if math.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:.{digits}g}"


def summary(values: Tensor, digits: int = DIGITS) -> str:
    """A few values in full, many as a range with their count."""
    flat = values.flatten()
    if flat.numel() <= _SHOW_IN_FULL:
        return ", ".join(number(v, digits) for v in flat.tolist())
    if flat.dtype == torch.bool:
        return f"True in {int(flat.sum())} of {flat.numel()} values"
    count = f"{flat.numel():,} values"
    is_nan = flat.isnan()
    nan = f", {int(is_nan.sum()):,} of them NaN" if is_nan.any() else ""
    flat = flat[~is_nan]
    if not flat.numel():
        return f"NaN in all {count}"
    low, high = flat.min().item(), flat.max().item()
    if low == high and not nan:
        return f"{number(low, digits)} in all {count}"
    return f"{number(low, digits)} to {number(high, digits)} over {count}{nan}"


def _short(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else text[:77] + "..."
