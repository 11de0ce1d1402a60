"""Turn what a learner returned into plain tensors, trusting nothing it says about itself."""

import math
from dataclasses import dataclass
from types import GeneratorType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

_MOST = 100_000_000  # numbers; a view may claim any number of them without having their memory
_NUMPY_SCALARS = (
    np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_,
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What to ask for when something else comes back.

    Args:
        names: One name for each thing that is returned.
        number: Whether it is a single number.
    """

    names: tuple[str, ...] = ("the result",)
    number: bool = False

    @property
    def one(self) -> str:
        """The kind of each thing."""
        return "a number" if self.number else "a plain tensor"

    @property
    def several(self) -> str:
        """A request for all of them; empty when it is only one."""
        count = len(self.names)
        example = ", ".join("abcdefgh"[:count])
        return (
            f"Return {count} tensors separated by a comma, as in `return {example}`: "
            f"{', then '.join(self.names)}."
            if count > 1
            else ""
        )


class Unreadable(Exception):
    """What came back is no tensor, array or number; the text tells the learner so."""


@dataclass(frozen=True)
class Plain:
    """Values that nobody but us holds, and what they were before."""

    values: Tensor
    origin: Literal["tensor", "array", "number"]


def coerce(returned: Any, wanted: Wanted | None = None) -> Plain | tuple[Plain, ...]:
    """One value, or a tuple of them, as fresh tensors of exactly the class ``torch.Tensor``.

    The class is compared with ``type(x) is``, never ``isinstance``: an object that answers yes to
    every comparison, or a subclass of Tensor that does, would pass any check otherwise.
    """
    wanted = wanted or Wanted()
    if type(returned) is tuple:
        # What is asked for as a whole is said of the whole alone.
        part = Wanted(number=wanted.number)
        parts = enumerate(returned, 1)
        return tuple(_one(item, f"part {i} of the result", part) for i, item in parts)
    if returned is None:
        raise Unreadable(
            "Your function returns nothing (None); end it with `return ...`, on every way through "
            "it. What `print` shows is not returned."
        )
    return _one(returned, "the result", wanted)


def _one(given: Any, name: str, wanted: Wanted) -> Plain:
    if type(given) in (Tensor, torch.nn.Parameter):
        return Plain(_fresh(given, name), "tensor")
    if type(given) is np.ndarray or type(given) in _NUMPY_SCALARS:
        return Plain(_from_numpy(given, name), "array")
    if type(given) in (int, float):
        try:
            return Plain(torch.tensor(float(given), dtype=torch.float64), "number")
        except OverflowError:
            raise Unreadable(f"{name} is a whole number too large to compare.") from None
    raise Unreadable(_not_a_tensor(given, name, wanted))


def _fresh(given: Tensor, name: str) -> Tensor:
    # Called through the class: an instance may carry its own `detach` or `clone`.
    tensor = Tensor.detach(given)
    if tensor.is_meta:
        raise Unreadable(f"{name} is a meta tensor: it has a shape but no values.")
    if tensor.is_nested:
        raise Unreadable(f"{name} is a nested tensor; a plain tensor is wanted.")
    _require_few(tensor.shape, name)
    if tensor.layout != torch.strided:
        tensor = Tensor.to_dense(tensor)
    if tensor.is_complex() or tensor.is_quantized:
        raise Unreadable(f"{name} has dtype {tensor.dtype}; plain real numbers are wanted.")
    return Tensor.clone(Tensor.cpu(tensor))


def _from_numpy(given: Any, name: str) -> Tensor:
    if given.dtype.kind not in "fiub":
        raise Unreadable(f"{name} is a numpy array of dtype {given.dtype}, not of numbers.")
    _require_few(given.shape, name)
    try:
        return torch.tensor(np.array(given, copy=True, order="C"))
    except TypeError:
        raise Unreadable(f"torch cannot read {name}, a numpy array of {given.dtype}.") from None


def _require_few(shape: tuple[int, ...], name: str) -> None:
    if math.prod(shape) > _MOST:
        raise Unreadable(f"{name} has shape {tuple(shape)}: too many numbers to compare.")


def _not_a_tensor(given: Any, name: str, wanted: Wanted) -> str:
    if given is None:
        return f"{name} is None; {wanted.one} is wanted."
    if given is Ellipsis:
        return f"{name} is `...`, the dots that stand for what you are to write."
    if type(given) is list:
        plain = "Stay with tensors, or end with `torch.tensor(...)`."
        asked = f"Return {wanted.one}, not several in brackets." if wanted.number else plain
        return f"{name} is a list. {wanted.several or asked}"
    if issubclass(type(given), tuple):
        return _not_a_plain_tuple(given, name, wanted)
    if type(given) is bool:
        return f"{name} is {given}, a truth value; {wanted.one} is wanted."
    if type(given) is GeneratorType:
        if given.gi_code.co_name == "<genexpr>":
            asked = wanted.several or f"Return {wanted.one}."
            return f"{name} is a generator: it has not run yet. {asked}"
        return f"{name} is a generator. Use `return`, not `yield`."
    if callable(given) and type(given).__name__ in ("method", "builtin_function_or_method"):
        return f"{name} is a method. Are the brackets of a call missing, as in `x.sum()`?"
    return f"{name} is an object of class {class_name(given)}; {wanted.one} is wanted."


def _not_a_plain_tuple(given: Any, name: str, wanted: Wanted) -> str:
    if type(given) is tuple:
        return f"{name} is itself a tuple; put {wanted.one} there."
    count = tuple.__len__(given)
    asked = wanted.several or f"Return {wanted.one}: the part that is asked for."
    return f"{name} is of class {class_name(given)}, a tuple of {count} parts. {asked}"


def class_name(given: Any) -> str:
    """Name of an object's class, whatever the class says about itself."""
    # Straight from `type`, because a metaclass may answer for `__name__` with anything.
    return type.__dict__["__name__"].__get__(type(given))
