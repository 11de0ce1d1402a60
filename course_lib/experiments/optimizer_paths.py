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


@dataclass(frozen=True)
class Walk:
    """Where one rule stands, and all that it remembers; nothing in it is ever changed."""

    rule: str
    weights: tuple[float, float]
    memory: dict = field(default_factory=dict)  # the optimiser's own, as in its state dict


@dataclass(frozen=True)
class PathStep:
    """Where all rules stand after one step."""

    step: int
    positions: dict[str, tuple[float, float]]
    losses: dict[str, float]  # of the surface itself: unscaled, without a penalty


def starts(surface: Surface, rules: Iterable[str] = RULES) -> tuple[Walk, ...]:
    """One walk for each rule, at the start of the surface."""
    return tuple(Walk(rule, surface.start) for rule in rules)


def step_all(
    walks: tuple[Walk, ...], surface: Surface, number: int, *, lr: float = 0.03,
    weight_decay: float = 0.0, scale: float = 1.0, noise: float = 0.0,
    beta1: float = 0.9, beta2: float = 0.99, seed: int = 0,
) -> tuple[tuple[Walk, ...], PathStep]:  # fmt: skip
    """Make one step of every walk, and say where they are.

    Args:
        walks: left as they are.
        surface: what is walked over.
        number: of this step, from 1; it decides the noise, the same for all rules.
        lr: learning rate.
        weight_decay: ignored by "Adam"; for SGD and momentum it is L2.
        scale: factor of the loss, and so of its gradient and the noise, but not of the decay.
        noise: spread of what is added to each slope, as another batch of data would.
        beta1: memory of the gradient; momentum uses it too.
        beta2: memory of its square.
        seed: of the noise.
    """
    drawn = torch.Generator().manual_seed(1_000_003 * seed + number)
    shaken = noise * torch.randn(2, generator=drawn, dtype=torch.float64)
    settings = {"lr": lr, "weight_decay": weight_decay, "betas": (beta1, beta2)}
    moved = tuple(_moved(walk, surface, scale, shaken, **settings) for walk in walks)
    positions = {walk.rule: walk.weights for walk in moved}
    losses = {rule: surface.loss(_tensor(where)).item() for rule, where in positions.items()}
    return moved, PathStep(number, positions, losses)


def _moved(
    walk: Walk, surface: Surface, scale: float, shaken: Tensor, **settings
) -> Walk:  # fmt: skip
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
    """A whole walk of every rule with settings that stay; step 0 is the start."""
    where = SURFACES[surface]
    walks = starts(where, rules)
    losses = {rule: where.loss(_tensor(where.start)).item() for rule in rules}
    records = [PathStep(0, {rule: where.start for rule in rules}, losses)]
    for number in range(1, n_steps + 1):
        walks, record = step_all(walks, where, number, **settings)
        records.append(record)
    return tuple(records)
