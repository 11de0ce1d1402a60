"""Walks over a surface, one for each update rule, a step at a time."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from course_lib.experiments.surfaces import SURFACES, Surface
from course_lib.optim.adam_l2 import AdamL2
from course_lib.optim.adamw import AdamW

SGD, MOMENTUM, ADAM, L2, ADAMW = RULES = ("SGD", "momentum", "Adam", "Adam + L2", "AdamW")
PLAIN = (SGD, MOMENTUM, ADAM)  # those without a decay


@dataclass(frozen=True)
class Walk:
    """Where one rule stands, and all that it remembers; nothing in it is ever changed."""

    rule: str
    weights: tuple[float, float]
    memory: dict = field(default_factory=dict)  # the optimiser's own, as in its state dict


@dataclass(frozen=True)
class PathStep:
    """Where all rules stand after one step; all that the next step needs is in here."""

    step: int
    surface: str
    walks: tuple[Walk, ...]

    @property
    def positions(self) -> dict[str, tuple[float, float]]:
        """The pair of weights of each rule."""
        return {walk.rule: walk.weights for walk in self.walks}

    @property
    def losses(self) -> dict[str, float]:
        """The loss of each rule on the surface itself: unscaled, without a penalty."""
        loss = SURFACES[self.surface].loss
        return {walk.rule: loss(_tensor(walk.weights)).item() for walk in self.walks}


def start(surface: str = "bowl", rules: Iterable[str] = RULES) -> PathStep:
    """All rules at the start of a surface, with nothing to remember."""
    return PathStep(0, surface, tuple(Walk(rule, SURFACES[surface].start) for rule in rules))


def step(
    last: PathStep, *, lr: float = 0.03, weight_decay: float = 0.0, scale: float = 1.0,
    noise: float = 0.0, beta1: float = 0.9, beta2: float = 0.99, seed: int = 0,
) -> PathStep:  # fmt: skip
    """Make one step of every rule; settings may differ from those of the step before.

    Args:
        last: left as it is.
        lr: learning rate.
        weight_decay: ignored by "Adam"; for SGD and momentum it is L2.
        scale: factor of the loss, and so of its gradient and the noise, but not of the decay.
        noise: spread of what is added to each slope, as another batch of data would; it follows
            from the seed and the step, and is the same for all rules.
        beta1: memory of the gradient; momentum uses it too.
        beta2: memory of its square.
        seed: of the noise.
    """
    number, surface = last.step + 1, SURFACES[last.surface]
    drawn = torch.Generator().manual_seed(1_000_003 * seed + number)
    shaken = noise * torch.randn(2, generator=drawn, dtype=torch.float64)
    settings = {"lr": lr, "weight_decay": weight_decay, "betas": (beta1, beta2)}
    moved = tuple(_moved(walk, surface, scale, shaken, **settings) for walk in last.walks)
    return PathStep(number, last.surface, moved)


def _moved(walk: Walk, surface: Surface, scale: float, shaken: Tensor, **settings) -> Walk:
    """One step of one rule, made by the library's own optimiser on copies."""
    weights = _tensor(walk.weights)
    weights.grad = scale * (surface.gradient(weights) + shaken)
    optimizer = _optimizer(walk.rule, weights, **settings)
    optimizer.state[weights] = {
        name: kept.clone() if isinstance(kept, Tensor) else kept
        for name, kept in walk.memory.items()
    }
    optimizer.step()
    return Walk(walk.rule, tuple(weights.tolist()), dict(optimizer.state[weights]))


def _optimizer(
    rule: str, weights: Tensor, lr: float, weight_decay: float, betas: tuple[float, float]
) -> torch.optim.Optimizer:
    """The optimiser behind the name of a rule."""
    if rule in (SGD, MOMENTUM):
        momentum = betas[0] if rule == MOMENTUM else 0.0
        return torch.optim.SGD([weights], lr, momentum, weight_decay=weight_decay)
    if rule == L2:
        return AdamL2([weights], lr, betas, weight_decay=weight_decay)
    return AdamW([weights], lr, betas, weight_decay=weight_decay if rule == ADAMW else 0.0)


def _tensor(pair: tuple[float, float]) -> Tensor:
    return torch.tensor(pair, dtype=torch.float64)


@functools.cache
def paths(
    surface: str = "bowl", n_steps: int = 150, rules: tuple[str, ...] = RULES, **settings: float
) -> tuple[PathStep, ...]:
    """The whole walk of every rule with settings that stay; it begins with the start."""
    records = [start(surface, rules)]
    for _ in range(n_steps):
        records.append(step(records[-1], **settings))
    return tuple(records)
