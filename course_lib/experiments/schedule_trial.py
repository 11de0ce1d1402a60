"""A small problem trained by Adam under a schedule, fast enough to follow a slider (lesson 43)."""

import math
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.optim.schedules import (
    rates,
    warm_up,
    warmup_cosine,
    warmup_inverse_sqrt,
    warmup_linear,
)

TOTAL, BEYOND = 200, 100  # steps of the schedule, and steps after its end
N_RUNS, N_FEATURES, BATCH = 16, 20, 4
DECAYS = ("none", "linear", "cosine", "inverse square root")


@dataclass(frozen=True)
class Trial:
    """The rates of a run and what came of them.

    Args:
        decay: how the rate falls, one of DECAYS.
        held: whether the rate stays as it is after the end.
        rates: of every update.
        losses: after every update, what the line still loses against the true one; the mean of
            16 runs.
    """

    decay: str
    held: bool
    rates: list[float]
    losses: list[float]


def schedule_trial(decay: str, warmup: int, peak: float, held: bool = True) -> Trial:
    """Fit noisy data under a schedule of 200 steps, and go on for another 100.

    Args:
        decay: one of DECAYS.
        warmup: steps until the peak.
        peak: the highest rate.
        held: False takes the bare formulas of line and cosine, which go on after the end.
    """
    if decay not in DECAYS:
        raise ValueError(f"decay must be one of {DECAYS}, got {decay!r}")
    require_whole(1, warmup=warmup)
    require_number(peak=peak)
    curve = {"peak": peak, "warmup_steps": warmup}
    whole = {**curve, "floor": 0.0, "total_steps": TOTAL}
    schedule = {
        "none": lambda step: peak * warm_up(step, warmup),
        "linear": lambda step: warmup_linear(step, **whole),
        "cosine": lambda step: warmup_cosine(step, **whole),
        "inverse square root": lambda step: warmup_inverse_sqrt(
            step, **curve, total_steps=TOTAL if held else math.inf
        ),
    }[decay]
    if not held and decay in ("linear", "cosine"):
        schedule = _bare(decay, **curve)
    given = rates(schedule, TOTAL + BEYOND)
    return Trial(decay, held, given, _fit(given).tolist())


def bare_cosine(step: int, *, peak: float, floor: float, warmup_steps: int, total_steps: int):
    """The formula of the cosine for every step after the warm-up; past the end it rises again."""
    progress = (step - warmup_steps) / (total_steps - warmup_steps)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _bare(decay: str, *, peak: float, warmup_steps: int):
    """Warm-up, then the formula without an end."""

    def schedule(step: int) -> float:
        if step < warmup_steps:
            return peak * warm_up(step, warmup_steps)
        if decay == "linear":
            return peak * (TOTAL - step) / (TOTAL - warmup_steps)
        return bare_cosine(
            step, peak=peak, floor=0.0, warmup_steps=warmup_steps, total_steps=TOTAL
        )

    return schedule


@cache
def _batches() -> tuple[Tensor, Tensor]:
    """Inputs and noise of all steps: the same for every schedule."""
    generator = torch.Generator().manual_seed(0)
    shape = (TOTAL + BEYOND, N_RUNS, BATCH)
    inputs = torch.randn(*shape, N_FEATURES, generator=generator)
    return inputs, torch.randn(*shape, generator=generator)


@torch.no_grad()
def _fit(given: list[float]) -> Float[Tensor, " step"]:
    """Adam on linear regression with noisy targets, 16 runs at once; the gradient by hand.

    The loss against the true line is half the squared distance to its weights, because the
    inputs have variance 1.
    """
    beta1, beta2 = 0.9, 0.95
    away = torch.ones(N_RUNS, N_FEATURES)  # from the true weights
    m, v = torch.zeros_like(away), torch.zeros_like(away)
    losses = []
    for t, (rate, x, noise) in enumerate(zip(given, *_batches(), strict=True), start=1):
        wrong = (x @ away[..., None]).squeeze(-1) - noise
        gradient = (wrong[:, None] @ x).squeeze(1) / BATCH
        m = torch.lerp(gradient, m, beta1)
        v = torch.lerp(gradient.square(), v, beta2)
        away = away - rate * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + 1e-8)
        losses.append(0.5 * away.square().sum(-1).mean())
    return torch.stack(losses)
