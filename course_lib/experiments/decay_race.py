"""Small GPTs that learn to copy with the same weight decay, put in at two places."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from course_lib.config import require_number, require_whole
from course_lib.experiments.copy_task import copier_config, copy_texts
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.gpt import GPT
from course_lib.optim.adam_l2 import AdamL2
from course_lib.optim.adamw import AdamW


@dataclass(frozen=True)
class Entrant:
    """An update rule and its weight decay."""

    rule: str  # "AdamW" or "Adam + L2"
    weight_decay: float

    @property
    def name(self) -> str:
        """What the figure calls it."""
        return f"{self.rule}, {self.weight_decay:g}" if self.weight_decay else "no decay"


@dataclass(frozen=True)
class DecayStep:
    """One step of all entrants: losses before it, in nats, and the size of weights after it."""

    step: int
    losses: dict[str, float]
    sizes: dict[str, float]  # root mean square of all matrices' numbers
    gradients: dict[str, float]  # the same of their gradients
    steepest: dict[str, float]  # the largest single number among these
    ratios: dict[str, tuple[float, ...]]  # by matrix: size before the step, over its gradient's


FIELD = (Entrant("AdamW", 0.1), Entrant("Adam + L2", 0.1), Entrant("Adam + L2", 1e-4),
         Entrant("AdamW", 10.0))  # fmt: skip


def race(
    field: Sequence[Entrant] = FIELD, n_steps: int = 80, *, lr: float = 3e-3, batch: int = 16,
    n_layers: int = 2, seed: int = 0,
) -> Iterator[DecayStep]:  # fmt: skip
    """Train all entrants from one start on the same texts; matrices decay, vectors do not."""
    require_whole(1, n_steps=n_steps, batch=batch, n_layers=n_layers)
    require_whole(0, seed=seed)
    require_number(lr=lr)
    runners = [(e.name, *_runner(e, lr, n_layers, seed)) for e in field]
    return _race(runners, n_steps, batch, seed)


def _runner(entrant: Entrant, lr: float, n_layers: int, seed: int):
    """A fresh GPT, the same for every entrant, with its optimiser."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT(copier_config(n_layers=n_layers))
    groups = [
        {"params": _matrices(model), "weight_decay": entrant.weight_decay},
        {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    make = {"AdamW": AdamW, "Adam + L2": AdamL2}[entrant.rule]
    return model, make(groups, lr, (0.9, 0.98))


def _race(runners, n_steps: int, batch: int, seed: int) -> Iterator[DecayStep]:
    """The race itself; apart, so that bad input is named at the call."""
    texts = torch.Generator().manual_seed(1000 + seed)
    for step in range(1, n_steps + 1):
        token_ids, targets = copy_texts(texts, batch)
        losses, sizes, gradients, steepest, ratios = {}, {}, {}, {}, {}
        for name, model, optimizer in runners:
            loss = cross_entropy(model(token_ids), targets)
            optimizer.zero_grad()
            loss.backward()
            matrices = _matrices(model)
            losses[name] = loss.item()
            gradients[name] = _root_mean_square([p.grad for p in matrices])
            steepest[name] = max(p.grad.abs().max().item() for p in matrices)
            ratios[name] = tuple(_size_to_gradient(p) for p in matrices)
            optimizer.step()
            sizes[name] = _root_mean_square(matrices)
        yield DecayStep(step, losses, sizes, gradients, steepest, ratios)


def _matrices(model: nn.Module) -> list[nn.Parameter]:
    return [p for p in model.parameters() if p.ndim >= 2]


def _size_to_gradient(matrix: nn.Parameter) -> float:
    """Norm over norm; infinite for a matrix without a gradient."""
    gradient = matrix.grad.norm().item()
    return matrix.detach().norm().item() / gradient if gradient else math.inf


def _root_mean_square(tensors) -> float:
    """Over all numbers of all tensors."""
    numbers = sum(t.numel() for t in tensors)
    return math.sqrt(sum(t.detach().square().sum().item() for t in tensors) / numbers)
