"""The four things a claim can say about a measured value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_lib.checks.values import as_numbers, as_values, number, summary


@dataclass(frozen=True)
class Condition:
    """What is wanted, in words, and how to read and judge values for it."""

    wanted: str
    read: Callable[[str, Any], Any]
    passes: Callable[[Any], Tensor]


def condition_from(near: Any, within: Any, above: Any, below: Any, equals: Any) -> Condition:
    """The one condition that was given; an error when it is none, several or cannot fail."""
    given = {"near": near, "above": above, "below": below, "equals": equals}
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        found = ", ".join(names) or "none"
        raise ValueError(f"give exactly one of near, above, below, equals; got {found}")
    if within is not None and near is None:
        raise ValueError("within belongs to near; the other conditions take no tolerance")
    if near is not None:
        return _near(near, within)
    if equals is not None:
        return _equals(equals)
    return _above(above) if above is not None else _below(below)


def _near(near: Any, within: Any) -> Condition:
    if within is None:
        raise ValueError("near needs within=: say how far off is still right")
    centre, width = _finite("near", near), _finite("within", within)
    if not (width > 0).all():
        raise ValueError(f"within must be > 0, got {summary(width)}; for exact values use equals=")

    def passes(values: Tensor) -> Tensor:
        distance = (values - _fit(centre, values, "near")).abs()
        return distance <= _fit(width, values, "within")  # False for NaN and infinities

    return Condition(f"{summary(centre)} ± {summary(width)}", as_numbers, passes)


def _above(above: Any) -> Condition:
    bound = _finite("above", above)

    def passes(values: Tensor) -> Tensor:
        # An infinity is above everything, but nearly always an overflow: only equals= takes it.
        return (values > _fit(bound, values, "above")) & values.isfinite()

    return Condition(f"above {summary(bound)}", as_numbers, passes)


def _below(below: Any) -> Condition:
    bound = _finite("below", below)

    def passes(values: Tensor) -> Tensor:
        return (values < _fit(bound, values, "below")) & values.isfinite()

    return Condition(f"below {summary(bound)}", as_numbers, passes)


def _equals(equals: Any) -> Condition:
    if _is_text(equals):
        return Condition(
            f"exactly {equals!r}", _read_text, lambda text: torch.tensor(text == equals)
        )
    exact = as_values("equals", equals)
    if exact.isnan().any():
        raise ValueError("NaN equals nothing; measure x.isnan() and claim that it is True")

    def read(name: str, given: Any) -> Tensor:
        values = as_values(name, given)
        if (values.dtype == torch.bool) != (exact.dtype == torch.bool):
            raise TypeError(f"{name} and equals: one is True/False and the other a number")
        return values

    return Condition(
        f"exactly {summary(exact, digits=10)}",
        read,
        lambda values: values == _fit(exact, values, "equals"),
    )


def _is_text(given: Any) -> bool:
    """A string, or a list or tuple with nothing but strings."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(item, str) for item in given)
    return isinstance(given, str)


def _read_text(name: str, given: Any) -> Any:
    if not _is_text(given):
        raise TypeError(f"{name} must be text, as equals is; got {type(given).__name__}")
    return given


def _finite(name: str, given: Any) -> Tensor:
    bound = as_numbers(name, given)
    if not bound.isfinite().all():
        raise ValueError(f"{name} must be finite, got {summary(bound)}: it would decide nothing")
    return bound


def _fit(bound: Tensor, values: Tensor, name: str) -> Tensor:
    """The bound in the shape of the values; stretching the values instead is refused."""
    try:
        return bound.expand(values.shape)
    except RuntimeError:
        raise ValueError(
            f"{name} has shape {tuple(bound.shape)}, which does not fit the values' "
            f"shape {tuple(values.shape)}"
        ) from None


def failures(passed: Tensor, values: Any, limit: int = 10) -> str:
    """The values that did not pass, with their indices."""
    if not isinstance(values, Tensor):
        return repr(values)
    if values.ndim == 0:
        return number(values.item(), digits=10)
    wrong = [tuple(index) for index in (~passed).nonzero().tolist()]
    shown = [f"[{', '.join(map(str, i))}] = {number(values[i].item(), 10)}" for i in wrong[:limit]]
    more = f", and {len(wrong) - limit:,} more" if len(wrong) > limit else ""
    return f"{', '.join(shown)}{more}"
