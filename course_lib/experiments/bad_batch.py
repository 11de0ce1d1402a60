"""One bad batch in the middle of a run: what it does to SGD and to Adam, clipped or not."""

import math
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from course_lib.config import require_fraction, require_number

ADAM, SGD = OPTIMISERS = ("Adam", "SGD")
NO_SPIKE, UNCLIPPED, CLIPPED = RUNS = ("no bad batch", "not clipped", "clipped")
N_STEPS, AT, LR = 300, 60, 0.02  # the bad batch comes at step AT, counted from 1
MAX_NORM = 15.0  # hardly a good batch has a gradient that long
N_DRAWS, N_FEATURES, BATCH = 16, 20, 4


@dataclass(frozen=True)
class BadBatch:
    """Three runs on the same batches: one without the bad batch, two with it.

    Args:
        optimiser: one of OPTIMISERS.
        noise: how many times as noisy the targets of the bad batch are.
        sizes: the length of each update, by run.
        losses: after each update, what the line still loses against the true one, by run.
    """

    optimiser: str
    noise: float
    sizes: dict[str, list[float]]
    losses: dict[str, list[float]]

    def slower_by(self, run: str, level: float = 0.5) -> float:
        """How many steps later than without the bad batch a run gets below a loss for good."""
        return self._reached(run, level) - self._reached(NO_SPIKE, level)

    def _reached(self, run: str, level: float) -> float:
        """The first step from which on the loss stays below a level; infinite if there is none."""
        late = [step for step, loss in enumerate(self.losses[run], start=1) if loss >= level]
        return math.inf if late and late[-1] == N_STEPS else (late[-1] + 1 if late else 1)


@cache
def bad_batch(optimiser: str, noise: float, beta2: float = 0.98) -> BadBatch:
    """Fit a noisy line; in one batch the noise is ``noise`` times as large.

    Args:
        optimiser: one of OPTIMISERS.
        noise: 1 is a batch like all others.
        beta2: Adam's memory of the squares; SGD has none.
    """
    if optimiser not in OPTIMISERS:
        raise ValueError(f"optimiser must be one of {OPTIMISERS}, got {optimiser!r}")
    require_number(noise=noise)
    if noise < 1:
        raise ValueError(f"noise must be >= 1, got {noise}")
    require_fraction(beta2=beta2)
    noisier = torch.tensor([1.0, noise, noise])[:, None, None]
    max_norm = torch.tensor([math.inf, math.inf, MAX_NORM])[:, None, None]
    measured = _fit(optimiser, beta2, noisier, max_norm)
    sizes, losses = (dict(zip(RUNS, found.T.tolist(), strict=True)) for found in measured)
    return BadBatch(optimiser, noise, sizes, losses)


@cache
def _batches() -> tuple[Tensor, Tensor]:
    """Inputs and noise of all steps: the same in every run."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(N_STEPS, N_DRAWS, BATCH, N_FEATURES, generator=generator)
    return inputs, torch.randn(N_STEPS, N_DRAWS, BATCH, generator=generator)


@torch.no_grad()
def _fit(optimiser: str, beta2: float, noisier: Tensor, max_norm: Tensor) -> tuple[Tensor, Tensor]:
    """Sizes of the updates and losses by step and run, means over 16 draws; gradients by hand."""
    beta1 = 0.9
    away = torch.ones(len(RUNS), N_DRAWS, N_FEATURES)  # from the true weights
    m, v = torch.zeros_like(away), torch.zeros_like(away)
    sizes, losses = [], []
    for t, (x, noise) in enumerate(zip(*_batches(), strict=True), start=1):
        wrong = (x @ away[..., None]).squeeze(-1) - noise * (noisier if t == AT else 1.0)
        gradient = (wrong[..., None, :] @ x).squeeze(-2) / BATCH
        gradient = gradient * (max_norm / gradient.norm(dim=-1, keepdim=True)).clamp(max=1.0)
        update = gradient
        if optimiser == ADAM:
            m = torch.lerp(gradient, m, beta1)
            v = torch.lerp(gradient.square(), v, beta2)
            update = m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + 1e-8)
        away = away - LR * update
        sizes.append(LR * update.norm(dim=-1).mean(-1))
        losses.append(0.5 * away.square().sum(-1).mean(-1))
    return torch.stack(sizes), torch.stack(losses)
