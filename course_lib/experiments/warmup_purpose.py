"""What is warm-up for?  One Post-LN stack, trained without it and with what may stand in for it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from course_lib.config import require_whole
from course_lib.experiments.copy_task import Texts, copy_texts
from course_lib.experiments.gradient_flow import POST, Stack
from course_lib.experiments.race_step import RaceStep
from course_lib.experiments.warmup_race import Runner
from course_lib.mechanisms.losses import cross_entropy
from course_lib.optim.clipping import clip_by_global_norm
from course_lib.optim.schedules import warm_up

DEPTH, WIDTH, LR, BATCH = 6, 64, 2e-3, 8  # the stack of lesson 33 that needs warm-up
BETAS = (0.9, 0.98)


@dataclass(frozen=True)
class Way:
    """One way to train the stack.

    Args:
        name: what the figure calls it.
        warmup: steps over which the rate rises from 0; 0 starts at the full rate.
        max_norm: longer gradients are clipped to it.
        fill: batches that Adam sees before the first step, at a rate of 0: it remembers them,
            and no weight moves.
        wipe: after this step Adam forgets everything; 0 for never.
    """

    name: str
    warmup: int = 0
    max_norm: float = math.inf
    fill: int = 0
    wipe: int = 0

    def __post_init__(self):
        require_whole(0, warmup=self.warmup, fill=self.fill, wipe=self.wipe)
        if not self.max_norm > 0:
            raise ValueError(f"max_norm must be > 0, got {self.max_norm}")

    def rate(self, step: int) -> float:
        """The learning rate of this step, counted from 1."""
        return LR * warm_up(step, self.warmup)


WAYS = (
    Way("no warm-up"),
    Way("no warm-up, clipped", max_norm=0.1),  # hardly a gradient is shorter
    Way("no warm-up, memory filled", fill=50),
    Way("warm-up", warmup=60),
    Way("warm-up, memory wiped", warmup=60, wipe=90),
)


@dataclass(frozen=True)
class SizedStep(RaceStep):
    """A step of the race, and how large each update was.

    Args:
        sizes: root mean square of the change of all weights, divided by the step's rate.
        norms: length of the gradient, before it was clipped.
    """

    sizes: dict[str, float]
    norms: dict[str, float]


class _Training:
    """One way's stack and its Adam."""

    def __init__(self, way: Way, seed: int):
        self.way = way
        stack = Stack(POST, "xavier", True, DEPTH, WIDTH)
        self.model = Runner(stack, torch.Generator().manual_seed(seed))
        self.adam = torch.optim.Adam(self.model.parameters(), LR, BETAS, fused=True)
        others = torch.Generator().manual_seed(2000 + seed)
        for _ in range(way.fill):
            self._step(copy_texts(others, BATCH), 0.0)

    def update(self, step: int, texts: Texts) -> tuple[float, float, float]:
        """Make one update; return the loss before it, its size and the gradient's norm."""
        rate = self.way.rate(step)
        before = [p.detach().clone() for p in self.model.parameters()]
        loss, norm = self._step(texts, rate)
        if step == self.way.wipe:
            self.adam.state.clear()
        return loss, _root_mean_square(before, list(self.model.parameters())) / rate, norm

    def _step(self, texts: Texts, rate: float) -> tuple[float, float]:
        token_ids, targets = texts
        loss = cross_entropy(self.model(token_ids), targets)
        self.adam.zero_grad()
        loss.backward()
        norm = clip_by_global_norm(self.model.parameters(), self.way.max_norm)
        self.adam.param_groups[0]["lr"] = rate
        self.adam.step()
        return loss.item(), norm


def race(ways: Sequence[Way] = WAYS, n_steps: int = 180, *, seed: int = 0) -> Iterator[SizedStep]:
    """Train the stack in all these ways, side by side on the same texts, a step at a time."""
    require_whole(1, n_steps=n_steps)
    require_whole(0, seed=seed)
    if not ways:
        raise ValueError("ways must have at least one entry, got none")
    return _race(ways, n_steps, seed)


def _race(ways: Sequence[Way], n_steps: int, seed: int) -> Iterator[SizedStep]:
    """The race itself; apart, so that bad input is named at the call."""
    runners = [_Training(way, seed) for way in ways]
    texts = torch.Generator().manual_seed(1000 + seed)
    for step in range(1, n_steps + 1):
        batch = copy_texts(texts, BATCH)
        done = {runner.way.name: runner.update(step, batch) for runner in runners}
        found = ({name: of[i] for name, of in done.items()} for i in range(3))
        yield SizedStep(step, *found)


def averaged_size(step: int, beta1: float = BETAS[0]) -> float:
    r"""How large Adam's update is when the gradients of all steps are unrelated noise.

    The update is an average of the gradients so far, in units of their size.  Its weights are
    proportional to beta1^i, so its root mean square is

    .. math:: \sqrt{\frac{1-\beta_1}{1+\beta_1} \cdot \frac{1+\beta_1^t}{1-\beta_1^t}}

    Args:
        step: t, counted from 1.
        beta1: Adam's memory of the gradient.
    """
    require_whole(1, step=step)
    faded = beta1**step
    return math.sqrt((1 - beta1) / (1 + beta1) * (1 + faded) / (1 - faded))


def noise_sizes(n_steps: int, *, n_weights: int = 4000, seed: int = 0) -> list[float]:
    """The size of Adam's updates in units of the rate, on gradients of pure noise."""
    require_whole(1, n_steps=n_steps, n_weights=n_weights)
    generator = torch.Generator().manual_seed(seed)
    weights = torch.zeros(n_weights, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([weights], 1.0, BETAS)
    sizes = []
    for _ in range(n_steps):
        weights.grad = torch.randn(n_weights, generator=generator, dtype=torch.float64)
        before = weights.detach().clone()
        adam.step()
        sizes.append(_root_mean_square([before], [weights]))
    return sizes


@torch.no_grad()
def _root_mean_square(before: list, after: list) -> float:
    """Root mean square of a change, over all numbers of all tensors."""
    squares = sum((b - a).square().sum() for a, b in zip(before, after, strict=True))
    return (squares / sum(a.numel() for a in before)).sqrt().item()
