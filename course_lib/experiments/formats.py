"""What becomes of a number in fp16, bf16 and fp32 (lesson 44)."""

import math
from dataclasses import dataclass

import torch

from course_lib.config import require_number

FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
WINDOW = 0.02  # how far to both sides neighbours are looked for, as a share of the number


@dataclass(frozen=True)
class Stored:
    """One number in each format.

    Args:
        value: the number itself.
        stored: what each format keeps of it; 0 or inf where it does not fit.
        neighbours: what else it could keep nearby, as distances from the value, in shares of it;
            None where they lie too close to be told apart.
    """

    value: float
    stored: dict[str, float]
    neighbours: dict[str, list[float] | None]


@dataclass(frozen=True)
class Range:
    """The sizes that a format can hold.

    Args:
        smallest: the smallest number above 0.
        full: from here on with full precision; below, digits are lost one by one.
        largest: the largest finite number.
    """

    smallest: float
    full: float
    largest: float


def ranges() -> dict[str, Range]:
    """The three formats' ranges, from torch."""
    found = {}
    for name, dtype in FORMATS.items():
        info = torch.finfo(dtype)
        found[name] = Range(info.tiny * info.eps, info.tiny, info.max)
    return found


def round_to(value: float, dtype: torch.dtype) -> float:
    """What is left of a number when it is stored in this format."""
    return torch.tensor(value, dtype=torch.float64).to(dtype).item()


def stored(exponent: float) -> Stored:
    """Store 10 to this power in each format."""
    require_number(exponent=exponent)
    value = 10.0**exponent
    kept = {name: round_to(value, dtype) for name, dtype in FORMATS.items()}
    return Stored(value, kept, {name: _neighbours(value, dtype) for name, dtype in FORMATS.items()})


def gap_at(value: float, dtype: torch.dtype) -> float:
    """The distance between the numbers of a format around a value."""
    info = torch.finfo(dtype)
    return 2.0 ** math.floor(math.log2(max(abs(value), info.tiny))) * info.eps


def _neighbours(value: float, dtype: torch.dtype) -> list[float] | None:
    """Every number of the format within the window, as shares of the value away from it."""
    gap = gap_at(value, dtype)
    if gap < WINDOW * value / 100:
        return None
    first, last = (math.ceil((1 + side * WINDOW) * value / gap) for side in (-1, 1))
    numbers = (gap * n for n in range(first, last))
    return [number / value - 1 for number in numbers if number <= torch.finfo(dtype).max]
