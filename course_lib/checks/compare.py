"""Say how a result differs from the expected one: form first, then dtype, then values."""

import torch
from torch import Tensor

from course_lib.checks.coerce import Plain
from course_lib.checks.values import number

Result = Plain | tuple[Plain, ...]


def agree(one: Result, other: Result, rtol: float, atol: float) -> bool:
    """Whether two wrong answers are the same one; here NaN equals NaN."""
    ones, others = _parts(one), _parts(other)
    if isinstance(one, tuple) != isinstance(other, tuple) or len(ones) != len(others):
        return False
    return all(
        a.values.shape == b.values.shape
        and bool(_close(a.values, b.values, rtol, atol, nan_too=True).all())
        for a, b in zip(ones, others, strict=True)
    )


def difference(
    returned: Result, expected: Result, names: tuple[str, ...], rtol: float, atol: float
) -> str | None:
    """One or two sentences on the first thing that is wrong; None when nothing is."""
    if isinstance(expected, tuple):
        if not isinstance(returned, tuple):
            return f"Return {len(expected)} things: {', '.join(names)}."
        if len(returned) != len(expected):
            wanted = f"{len(expected)} things ({', '.join(names)})"
            return f"Your function returns {len(returned)} things; {wanted} are wanted."
        if len(expected) == 2 and _swapped(returned, expected, rtol, atol):
            return f"The two results are in the wrong order: {names[0]} first, then {names[1]}."
    elif isinstance(returned, tuple):
        if len(returned) == 1:
            return "Your function returns a tuple of one thing: take the comma at the end away."
        return f"Your function returns {len(returned)} things; one is wanted."
    pairs = list(zip(names, _parts(returned), _parts(expected), strict=True))
    for look in (_form, lambda *pair: _values(*pair, rtol, atol)):
        for name, mine, theirs in pairs:
            if wrong := look(name, mine, theirs):
                return wrong
    return None


def _swapped(
    returned: tuple[Plain, ...], expected: tuple[Plain, ...], rtol: float, atol: float
) -> bool:
    """Whether two results would fit the other way round and do not as they are."""
    swapped = returned[::-1]
    if agree(returned, expected, rtol, atol):
        return False
    wanted = _shapes(expected)
    by_shape = _shapes(swapped) == wanted != _shapes(returned)
    return by_shape or agree(swapped, expected, rtol, atol)


def _shapes(parts: tuple[Plain, ...]) -> list[tuple[int, ...]]:
    return [tuple(p.values.shape) for p in parts]


def _form(name: str, mine: Plain, theirs: Plain) -> str | None:
    shape, wanted = tuple(mine.values.shape), tuple(theirs.values.shape)
    if shape != wanted:
        kind = "be a single number" if wanted == () else f"have shape {wanted}"
        return f"{capital(name)}: shape {shape} came out, but it should {kind}."
    if theirs.values.is_floating_point() and not mine.values.is_floating_point():
        return f"{capital(name)}: dtype {mine.values.dtype} came out; fractions get lost there."
    if mine.origin == theirs.origin == "tensor" and mine.values.dtype != theirs.values.dtype:
        return (
            f"{capital(name)}: dtype {mine.values.dtype} came out, but it should be "
            f"{theirs.values.dtype}, as the input is."
        )
    return None


def _values(name: str, mine: Plain, theirs: Plain, rtol: float, atol: float) -> str | None:
    wrong = ~_close(mine.values, theirs.values, rtol, atol)
    if not wrong.any():
        return None
    index = tuple(wrong.nonzero()[0].tolist())
    got, wanted = (_written(p.values.double()[index].item()) for p in (mine, theirs))
    if wrong.ndim == 0:
        return f"{capital(name)} is {got}; expected {wanted}."
    place = ", ".join(map(str, index))
    share = f"{int(wrong.sum())} of {wrong.numel()} elements are off"
    return f"First wrong element of {name}: [{place}] is {got}, expected {wanted} ({share})."


def _written(value: float) -> str:
    """A number with six digits; a whole one, such as a count of parameters, with all of them."""
    return number(int(value) if value.is_integer() and abs(value) < 1e15 else value, 6)


def _close(a: Tensor, b: Tensor, rtol: float, atol: float, nan_too: bool = False) -> Tensor:
    return torch.isclose(a.double(), b.double(), rtol=rtol, atol=atol, equal_nan=nan_too)


def capital(sentence: str) -> str:
    """First letter large, the others as they are."""
    return sentence[:1].upper() + sentence[1:]


def _parts(result: Result) -> tuple[Plain, ...]:
    return result if isinstance(result, tuple) else (result,)
