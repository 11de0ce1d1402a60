"""Gradient descent in 20 dimensions that meets a few corrupted batches (lesson 44)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.optim.clipping import clip_by_global_norm
from course_lib.optim.spike_guard import SpikeGuard

NOTHING, CLIP, SKIP = REMEDIES = ("nothing", "clip", "skip")
N_STEPS, SPIKES = 120, (40, 60, 61)
D, BATCH, LR, NOISE, MAX_NORM = 20, 16, 0.1, 0.5, 2.0


@dataclass(frozen=True)
class ToyRun:
    """How far the weights are from the right ones after each step, and what the guard did.

    Args:
        size: how many times too large the targets of the corrupted batches were.
        factor: the guard's.
        distances: for each remedy, before the first step and after each.
        norms: the gradient norms that the run without a remedy met.
        n_skipped: batches that the guard kept out.
    """

    size: float
    factor: float
    distances: dict[str, list[float]]
    norms: list[float]
    n_skipped: int


def toy_run(size: float, factor: float, seed: int = 0) -> ToyRun:
    """Learn a linear map from 20 numbers, with noise, and three corrupted batches on the way."""
    require_number(size=size, factor=factor)
    require_whole(0, seed=seed)
    data = _data(seed)
    found = {remedy: _descend(remedy, size, factor, *data) for remedy in REMEDIES}
    return ToyRun(
        size,
        factor,
        {remedy: distances for remedy, (distances, _, _) in found.items()},
        found[NOTHING][1],
        found[SKIP][2],
    )


def _data(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Inputs, targets, the right weights, and those to start from: close, but not there yet."""
    draws = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draws, dtype=torch.float64)

    right, inputs = normal(D), normal(N_STEPS, BATCH, D)
    targets = inputs @ right + NOISE * normal(N_STEPS, BATCH)
    return inputs, targets, right, right + 0.2 * normal(D)


def _descend(
    remedy: str, size: float, factor: float, inputs: Tensor, targets: Tensor, right: Tensor,
    weights: Tensor,
) -> tuple[list[float], list[float], int]:  # fmt: skip
    """Distances, norms and the number of skipped batches of one run."""
    guard = SpikeGuard(factor)
    distances, norms = [(weights - right).norm().item()], []
    for step, (x, y) in enumerate(zip(inputs, targets, strict=True), 1):
        wrong = x @ weights - (size * y if step in SPIKES else y)
        weights.grad = x.T @ wrong / BATCH
        norms.append(clip_by_global_norm(weights, MAX_NORM if remedy == CLIP else math.inf))
        if remedy != SKIP or guard.lets_in(norms[-1]):
            weights = weights - LR * weights.grad
        distances.append((weights - right).norm().item())
    return distances, norms, guard.n_skipped
