"""What weight decay leaves of a weight whose gradient is nothing but noise."""

import functools
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.experiments.optimizer_paths import ADAMW, L2
from course_lib.optim.adam_l2 import AdamL2
from course_lib.optim.adamw import AdamW

SCALES = tuple(10 ** (k / 2) for k in range(-6, 7))  # 0.001 to 1000
_MAKERS = {L2: AdamL2, ADAMW: AdamW}


@dataclass(frozen=True)
class WhatIsLeft:
    """Weights that began at 1, after a number of steps, by the size of their gradients."""

    scales: tuple[float, ...]  # spread of the gradients
    left: dict[str, Float[Tensor, " scale"]]  # by rule: the mean weight
    foretold: float  # with a factor of 1 - lr * weight_decay in every step
    lr: float
    weight_decay: float
    n_steps: int


@functools.cache
def what_is_left(
    weight_decay: float = 0.1, *, scales: tuple[float, ...] = SCALES, lr: float = 1e-3,
    n_steps: int = 500, n_weights: int = 500, seed: int = 0,
) -> WhatIsLeft:  # fmt: skip
    """Feed both rules the same noise, with mean 0 and each of the spreads.

    Only its factor differs between the scales, so their wiggles are not independent.
    """
    left = {}
    for rule, make in _MAKERS.items():
        noise = torch.Generator().manual_seed(seed)
        weights = torch.ones(len(scales), n_weights, dtype=torch.float64)
        optimizer = make([weights], lr=lr, weight_decay=weight_decay)
        sizes = torch.tensor(scales, dtype=torch.float64)[:, None]
        for _ in range(n_steps):
            drawn = torch.randn(n_weights, generator=noise, dtype=torch.float64)
            weights.grad = sizes * drawn
            optimizer.step()
        left[rule] = weights.mean(1)
    foretold = (1 - lr * weight_decay) ** n_steps
    return WhatIsLeft(scales, left, foretold, lr, weight_decay, n_steps)
