"""One bad batch in the middle of a run: what it does to SGD and to Adam, clipped or not."""

import math
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from course_lib.config import require_fraction, require_number

ADAM, SGD = OPTIMISERS = ("Adam", "SGD")
NO_SPIKE, UNCLIPPED, CLIPPED = RUNS = ("no bad batch", "not clipped", "clipped")
N_STEPS, LR = 300, 0.02
EARLY, LATE = 60, 250  # steps at which the bad batch may come, counted from 1
MAX_NORM = 15.0  # one good batch in fourteen has a gradient that long
N_DRAWS, N_FEATURES, BATCH = 16, 20, 4


@dataclass(frozen=True)
class BadBatch:
    """Three runs on the same batches: one without the bad batch, two with it.

    Args:
        optimiser: one of OPTIMISERS.
        noise: how many times as noisy the targets of the bad batch are.
        at: the step of the bad batch.
        sizes: the length of each update, by run.
        farthest: how far the weight that moves most is moved by each update, in rates, by run.
        losses: after each update, what the line still loses against the true one, by run.
    """

    optimiser: str
    noise: float
    at: int
    sizes: dict[str, list[float]]
    farthest: dict[str, list[float]]
    losses: dict[str, list[float]]

    def reached(self, run: str, level: float = 0.5) -> float:
        """The first step from which on the loss stays below a level; infinite if there is none."""
        late = [step for step, loss in enumerate(self.losses[run], start=1) if loss >= level]
        return math.inf if late and late[-1] == N_STEPS else (late[-1] + 1 if late else 1)


@cache
def bad_batch(
    optimiser: str,
    noise: float,
    beta2: float = 0.98,
    at: int = EARLY,
    max_norm: float = MAX_NORM,
) -> BadBatch:
    """Fit a noisy line; in one batch the noise is ``noise`` times as large.

    Args:
        optimiser: one of OPTIMISERS.
        noise: 1 is a batch like all others.
        beta2: Adam's memory of the squares; SGD has none.
        at: the step of that batch, counted from 1.
        max_norm: to which the third run is clipped, in all its steps.
    """
    if optimiser not in OPTIMISERS:
        raise ValueError(f"optimiser must be one of {OPTIMISERS}, got {optimiser!r}")
    require_number(noise=noise)
    if noise < 1:
        raise ValueError(f"noise must be >= 1, got {noise}")
    require_fraction(beta2=beta2)
    if not max_norm > 0:
        raise ValueError(f"max_norm must be > 0, got {max_norm}")
    if at not in range(1, N_STEPS + 1):
        raise ValueError(f"at must lie in [1, {N_STEPS}], got {at}")
    noisier = torch.ones(N_STEPS, len(RUNS), 1, 1)
    noisier[at - 1, 1:] = noise
    longest = torch.tensor([math.inf, math.inf, max_norm])[:, None, None]
    measured = _fit(optimiser, beta2, noisier, longest)
    found = (dict(zip(RUNS, values.T.tolist(), strict=True)) for values in measured)
    return BadBatch(optimiser, noise, at, *found)


@cache
def _batches() -> tuple[Tensor, Tensor]:
    """Inputs and noise of all steps: the same in every run."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(N_STEPS, N_DRAWS, BATCH, N_FEATURES, generator=generator)
    return inputs, torch.randn(N_STEPS, N_DRAWS, BATCH, generator=generator)


@torch.no_grad()
def _fit(optimiser: str, beta2: float, noisier: Tensor, longest: Tensor) -> list[Tensor]:
    """What BadBatch holds, by step and run: means over 16 draws, or the largest of all.

    The gradients are written out by hand.
    """
    beta1 = 0.9
    away = torch.ones(len(RUNS), N_DRAWS, N_FEATURES)  # from the true weights
    m, v = torch.zeros_like(away), torch.zeros_like(away)
    found = []
    for t, (x, noise, factor) in enumerate(zip(*_batches(), noisier, strict=True), start=1):
        wrong = (x @ away[..., None]).squeeze(-1) - noise * factor
        gradient = (wrong[..., None, :] @ x).squeeze(-2) / BATCH
        gradient = gradient * (longest / gradient.norm(dim=-1, keepdim=True)).clamp(max=1.0)
        update = gradient
        if optimiser == ADAM:
            m = torch.lerp(gradient, m, beta1)
            v = torch.lerp(gradient.square(), v, beta2)
            update = m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + 1e-8)
        away = away - LR * update
        length, loss = LR * update.norm(dim=-1).mean(-1), 0.5 * away.square().sum(-1).mean(-1)
        found.append((length, update.abs().amax((-2, -1)), loss))
    return [torch.stack(values) for values in zip(*found, strict=True)]
