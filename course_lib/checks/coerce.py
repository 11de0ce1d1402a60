"""Turn what a learner returned into plain tensors, trusting nothing it says about itself."""

from dataclasses import dataclass
from types import GeneratorType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

_NUMPY_SCALARS = (
    np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_,
)  # fmt: skip


class Unreadable(Exception):
    """What came back is no tensor, array or number; the text tells the learner so."""


@dataclass(frozen=True)
class Plain:
    """Values that nobody but us holds, and what they were before."""

    values: Tensor
    origin: Literal["tensor", "array", "number"]


def coerce(returned: Any) -> Plain | tuple[Plain, ...]:
    """One value, or a tuple of them, as fresh tensors of exactly the class ``torch.Tensor``.

    The class is compared with ``type(x) is``, never ``isinstance``: an object that answers yes to
    every comparison, or a subclass of Tensor that does, would pass any check otherwise.
    """
    if type(returned) is tuple:
        return tuple(_one(item, f"part {i} of the result") for i, item in enumerate(returned, 1))
    return _one(returned, "the result")


def _one(given: Any, name: str) -> Plain:
    if type(given) in (Tensor, torch.nn.Parameter):
        return Plain(_fresh(given, name), "tensor")
    if type(given) is np.ndarray or type(given) in _NUMPY_SCALARS:
        return Plain(_from_numpy(given, name), "array")
    if type(given) in (int, float):
        try:
            return Plain(torch.tensor(float(given), dtype=torch.float64), "number")
        except OverflowError:
            raise Unreadable(f"{name} is a whole number too large to compare.") from None
    raise Unreadable(_not_a_tensor(given, name))


def _fresh(given: Tensor, name: str) -> Tensor:
    # Called through the class: an instance may carry its own `detach` or `clone`.
    tensor = Tensor.detach(given)
    if tensor.is_meta:
        raise Unreadable(f"{name} is a meta tensor: it has a shape but no values.")
    if tensor.layout != torch.strided:
        tensor = Tensor.to_dense(tensor)
    if tensor.is_complex() or tensor.is_quantized:
        raise Unreadable(f"{name} has dtype {tensor.dtype}; plain real numbers are wanted.")
    return Tensor.clone(Tensor.cpu(tensor))


def _from_numpy(given: Any, name: str) -> Tensor:
    if given.dtype.kind not in "fiub":
        raise Unreadable(f"{name} is a numpy array of dtype {given.dtype}, not of numbers.")
    try:
        return torch.tensor(np.array(given, copy=True, order="C"))
    except TypeError:
        raise Unreadable(f"torch cannot read {name}, a numpy array of {given.dtype}.") from None


def _not_a_tensor(given: Any, name: str) -> str:
    if given is None:
        return f"{name} is None. Does every way through your function end in `return`?"
    if type(given) is list:
        return f"{name} is a list. Stay with tensors, or end with `torch.tensor(...)`."
    if type(given) is tuple:
        return f"{name} is itself a tuple; put the tensors directly into the result."
    if type(given) is bool:
        return f"{name} is {given}, a truth value; numbers are wanted."
    if type(given) is GeneratorType:
        return f"{name} is a generator. Use `return`, not `yield`."
    if callable(given) and type(given).__name__ in ("method", "builtin_function_or_method"):
        return f"{name} is a method. Are the brackets of a call missing, as in `x.sum()`?"
    return f"{name} is an object of class {class_name(given)}; a plain tensor is wanted."


def class_name(given: Any) -> str:
    """Name of an object's class, whatever the class says about itself."""
    # Straight from `type`, because a metaclass may answer for `__name__` with anything.
    return type.__dict__["__name__"].__get__(type(given))
