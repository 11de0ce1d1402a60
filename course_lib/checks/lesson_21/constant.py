"""Find the constant by which somebody's attention divides all its scores."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from course_lib.checks.run import Case, Ran


def attend(q, k, v, visible, factor=None, over=-1, after=1.0):
    """Attention with one thing to get wrong at a time."""
    factor = 1 / math.sqrt(q.size(-1)) if factor is None else factor
    scores = q @ k.transpose(-2, -1) * factor
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    probs = torch.softmax(scores, dim=over) * after
    return probs @ v, probs


def divided_by(divisor):
    """Attention that divides every score by the same number."""
    return lambda q, k, v, visible=None: attend(q, k, v, visible, factor=1 / divisor)


def fit_constant(
    cases: Sequence[Case], tried: Sequence[Ran]
) -> tuple[Callable[..., Any], str] | None:
    """Read off the probabilities by which number all scores were divided.

    The logarithm of a probability is its score, up to one number for each row: so the slope of
    one against the other, both taken from their row's mean, is the factor on the scores.
    """
    products = squares = 0.0
    for case, ran in zip(cases, tried, strict=True):
        q, k = case.inputs["q"].double(), case.inputs["k"].double()
        raw = q @ k.transpose(-2, -1)
        parts = ran.result if isinstance(ran.result, tuple) else ()
        if case.inputs["visible"] is not None or len(parts) != 2:
            continue
        probs = parts[1].values.double()
        if probs.shape != raw.shape:
            return None
        seen = probs > 1e-30  # smaller ones have lost their digits, or are 0
        x, y = _from_row_mean(raw, seen), _from_row_mean(probs.clamp(min=1e-30).log(), seen)
        products, squares = products + (x * y).sum().item(), squares + (x * x).sum().item()
    if squares == 0 or not 1e-6 < products / squares < 1e6:
        return None
    divisor = _tidy(squares / products)
    return divided_by(divisor), constant_message(divisor)


def _from_row_mean(values: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    mean = (values * seen).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True).clamp(min=1)
    return (values - mean) * seen


def _tidy(divisor: float) -> float:
    """The root of a whole number, or of 1 over one, when it is that but for rounding."""
    for power in (2, -2):
        whole = round(divisor**power)
        if 0 < whole < 100_000 and abs(divisor**power / whole - 1) < 1e-5:
            return whole ** (1 / power)
    return divisor


def constant_message(divisor: float) -> str:
    """What to say to a division of every score by the same number."""
    square = divisor**2
    told = f"You divide the scores by {divisor:.4g} everywhere, however wide the queries are"
    if divisor < 1:
        told = f"You multiply the scores by {1 / divisor:.4g} everywhere, however wide they are"
    elif abs(square - round(square)) < 1e-6:
        told += f": that is the square root of the constant {round(square)}"
    known = {64: "the head width of one published model", 512: "the width of a whole model",
             768: "the width of a whole model", 1024: "the width of a whole model"}  # fmt: skip
    if name := known.get(round(square)):
        told += f", {name}"
    return (
        f"{told}. Is a number written into the function, or a `d_k` set elsewhere in the notebook? "
        "Where can the function read its own?"
    )
