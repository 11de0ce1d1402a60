"""Call a function on copies of a case's inputs, and leave everything else as it was."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_lib.checks.coerce import Unreadable, Wanted, coerce
from course_lib.checks.compare import Result
from course_lib.checks.values import number

_SHOW_IN_FULL = 8


@dataclass(frozen=True)
class Case:
    """One call: inputs by the names that the task gives them, passed by position.

    Args:
        inputs: Tensors, numbers or None.
        extreme: Above 0 for a case that a rough but otherwise right function may miss.  A known
            mistake is first looked for in all cases, then without the most extreme, and so on.
    """

    inputs: dict[str, Any]
    extreme: int = 0

    def describe(self) -> str:
        """The inputs in words; many numbers by their shape."""
        numbers = sum(v.numel() for v in self.inputs.values() if isinstance(v, Tensor))
        in_full = numbers <= _SHOW_IN_FULL
        return ", ".join(f"{name} = {_describe(v, in_full)}" for name, v in self.inputs.items())

    def copies(self) -> list[Any]:
        """The inputs, each tensor cloned."""
        return [v.clone() if isinstance(v, Tensor) else v for v in self.inputs.values()]


@dataclass(frozen=True)
class Ran:
    """What a function did with one case: exactly one of result, error, unreadable is set."""

    result: Result | None = None
    error: BaseException | None = None
    unreadable: str | None = None
    untouched: bool = False
    changed: str | None = None


def run(function: Callable[..., Any], case: Case, wanted: Wanted | None = None) -> Ran:
    """Call the function once.  Only KeyboardInterrupt comes through."""
    copies = case.copies()
    with state_kept():
        try:
            returned = function(*copies)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too must not end the learner's session
            return Ran(error=error)
    untouched = returned is None or returned is Ellipsis
    changed = _changed(case, copies)
    try:
        return Ran(result=coerce(returned, wanted or Wanted()), changed=changed)
    except Unreadable as why:
        return Ran(unreadable=str(why), untouched=untouched, changed=changed)


@contextmanager
def state_kept() -> Iterator[None]:
    """Put random generators, gradient mode and default dtype back as they were."""
    ours, theirs, dtype = random.getstate(), np.random.get_state(), torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(ours)
        np.random.set_state(theirs)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)


def _changed(case: Case, copies: list[Any]) -> str | None:
    """The name of an input that the function wrote into."""
    for (name, before), after in zip(case.inputs.items(), copies, strict=True):
        if isinstance(before, Tensor) and not _same(before, after):
            return name
    return None


def _same(before: Tensor, after: Tensor) -> bool:
    if before.shape != after.shape or before.dtype != after.dtype:
        return False
    return torch.allclose(before.double(), after.detach().double(), rtol=0, atol=0, equal_nan=True)


def _describe(value: Any, in_full: bool) -> str:
    if not isinstance(value, Tensor):
        return number(value) if isinstance(value, int | float) else repr(value)
    if in_full:
        return str(_rounded(value.tolist())).replace("'", "")
    return f"a tensor of shape {tuple(value.shape)}"


def _rounded(nested: Any) -> Any:
    return [_rounded(n) for n in nested] if isinstance(nested, list) else number(nested)
