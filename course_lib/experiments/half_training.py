"""A small network trained in half precision, with and without its two crutches (lesson 44)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from course_lib.config import require_whole
from course_lib.experiments.formats import FORMATS
from course_lib.experiments.race_step import RaceStep
from course_lib.optim.loss_scaling import LossScaler, MasterWeights

D_IN, WIDTH, N_CLASSES, N_SHOWN = 16, 48, 8, 256
# A published batch holds millions of tokens, and the loss is their mean.  These 256 stand for a
# piece of such a batch: their losses are added up and divided by its size.
BATCH_TOKENS = 2**22


@dataclass(frozen=True)
class Way:
    """How to train: the format of weights and gradients, and which crutches.

    Args:
        dtype: one of the names in ``formats.FORMATS``.
        masters: whether updates are added to fp32 weights.
        scaled: whether the loss is multiplied by a changing factor; only with masters.
    """

    dtype: str
    masters: bool = False
    scaled: bool = False

    def __post_init__(self):
        if self.dtype not in FORMATS:
            raise ValueError(f"dtype must be one of {list(FORMATS)}, got {self.dtype!r}")
        if self.scaled and not self.masters:
            raise ValueError("scaled needs masters: half precision cannot hold what is divided")

    @property
    def name(self) -> str:
        """What the figure calls it."""
        return self.dtype + " + masters" * self.masters + " + scaling" * self.scaled


FIELD = (
    Way("fp32"),
    Way("bf16", masters=True),
    Way("bf16"),
    Way("fp16", masters=True, scaled=True),
    Way("fp16", masters=True),
)


class _Training:
    """One network, and plain gradient descent on it or on its masters."""

    def __init__(self, way: Way, lr: float, seed: int, batch_tokens: int = BATCH_TOKENS):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.model = nn.Sequential(
                nn.Linear(D_IN, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(),
                nn.Linear(WIDTH, N_CLASSES),
            )  # fmt: skip
        self.dtype = FORMATS[way.dtype]
        self.model.to(self.dtype)
        self.masters = MasterWeights(self.model.parameters()) if way.masters else None
        self.scaler = LossScaler(interval=20) if way.scaled else None
        trained = self.masters.masters if self.masters else list(self.model.parameters())
        # The loss is a piece of a mean, so the rate is as much larger: see BATCH_TOKENS.
        self.optimizer = torch.optim.SGD(trained, lr=lr * batch_tokens / N_SHOWN)
        self.batch_tokens = batch_tokens
        self.trained = trained

    def backward(self, x: Tensor, labels: Tensor) -> float:
        """Leave gradients at the model; return the mean loss of what is shown."""
        self.model.zero_grad()
        logits = self.model(x.to(self.dtype)).float()
        total = functional.cross_entropy(logits, labels, reduction="sum")
        loss = total / self.batch_tokens
        (self.scaler.up(loss) if self.scaler else loss).backward()
        return total.item() / N_SHOWN

    def update(self, x: Tensor, labels: Tensor) -> float:
        """One step; returns the loss before it."""
        loss = self.backward(x, labels)
        if self.masters:
            self.masters.take_gradients()
        finite = self.scaler.down(self.trained) if self.scaler else True
        if finite:
            self.optimizer.step()
        if self.scaler:
            self.scaler.update(finite)
        if self.masters:
            self.masters.hand_back()
        return loss


def _task(seed: int) -> tuple[Tensor, Tensor]:
    """Random inputs, and which of eight random directions each lies nearest to."""
    draws = torch.Generator().manual_seed(1000 + seed)
    x = torch.randn(N_SHOWN, D_IN, generator=draws)
    directions = torch.randn(D_IN, N_CLASSES, generator=draws)
    return x, (x @ directions).argmax(-1)


def race(
    field: Sequence[Way] = FIELD, n_steps: int = 150, *, lr: float = 0.05, seed: int = 0
) -> Iterator[RaceStep]:
    """Train one network a way, all from the same weights on the same inputs."""
    require_whole(1, n_steps=n_steps)
    require_whole(0, seed=seed)
    if not field:
        raise ValueError("field must have at least one way, got none")
    return _race({way.name: _Training(way, lr, seed) for way in field}, n_steps, seed)


def _race(runs: dict[str, _Training], n_steps: int, seed: int) -> Iterator[RaceStep]:
    """The race itself; apart, so that bad input is named at the call."""
    x, labels = _task(seed)
    for step in range(1, n_steps + 1):
        yield RaceStep(step, {name: run.update(x, labels) for name, run in runs.items()})


def lost_gradients(
    factor: float = 1.0, *, dtype: str = "fp16", batch_tokens: int = BATCH_TOKENS, seed: int = 0
) -> float:
    """Which share of the first step's gradient numbers a format turns into 0.

    Args:
        factor: what the loss is multiplied by.
        batch_tokens: what the summed loss is divided by.
    """
    require_whole(1, batch_tokens=batch_tokens)
    x, labels = _task(seed)
    run = _Training(Way(dtype), 0.0, seed, batch_tokens)
    run.scaler = LossScaler(factor)
    run.backward(x, labels)
    gradients = torch.cat([p.grad.flatten() for p in run.model.parameters()])
    return (gradients == 0).float().mean().item()
