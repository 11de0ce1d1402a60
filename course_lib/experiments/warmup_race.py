"""Deep stacks learn to copy, with and without warm-up, with norms before and after (lesson 33)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.config import require_number, require_whole
from course_lib.experiments.copy_task import LENGTH, N_LETTERS, copy_texts
from course_lib.experiments.gradient_flow import EPS, POST, PRE, Stack, build_blocks
from course_lib.mechanisms.losses import cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import LayerNorm


@dataclass(frozen=True)
class Entrant:
    """One way to train: where the norms stand, how weights are drawn, how long the rate rises.

    Args:
        placement: where the layer norms stand.
        start: how the matrices are drawn.
        warmup: steps over which the learning rate rises from 0; 0 starts at the full rate.
    """

    placement: str
    start: str
    warmup: int

    def __post_init__(self):
        Stack(self.placement, self.start)  # names what is wrong
        require_whole(0, warmup=self.warmup)

    @property
    def name(self) -> str:
        """What the figure calls it."""
        rise = f"{self.warmup} steps of warm-up" if self.warmup else "no warm-up"
        return f"{self.placement}, {self.start}, {rise}"


FIELD = (
    Entrant(POST, "xavier", 0),
    Entrant(POST, "xavier", 100),
    Entrant(POST, "linear", 0),
    Entrant(PRE, "xavier", 0),
)


@dataclass(frozen=True)
class RaceStep:
    """The losses of all entrants on the same texts, before the update of this step."""

    step: int
    losses: dict[str, float]


class Runner(nn.Module):
    """Token and position tables, a stack, a final norm for Pre-LN, and a linear layer on top."""

    def __init__(self, stack: Stack, generator: torch.Generator):
        super().__init__()
        self.stack = stack
        self.blocks = build_blocks(stack, generator)
        width = stack.width
        self.tokens = nn.Parameter(torch.randn(N_LETTERS, width, generator=generator))
        self.positions = nn.Parameter(torch.randn(2 * LENGTH, width, generator=generator))
        self.head = nn.Parameter(torch.randn(width, N_LETTERS, generator=generator) / width)
        self.norm_in, self.norm_out = LayerNorm(width, EPS), LayerNorm(width, EPS)

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq letter"]:
        """Return a logit for every letter at every position; the future is hidden."""
        n = token_ids.shape[1]
        x = self.norm_in(self.tokens[token_ids] + self.positions[:n])
        for block in self.blocks:
            x = block(x, causal_mask(n))
        return self.norm_out(x) @ self.head


def race(
    field: Sequence[Entrant] = FIELD,
    n_steps: int = 150,
    *,
    depth: int = 6,
    width: int = 64,
    lr: float = 2e-3,
    batch: int = 8,
    seed: int = 0,
) -> Iterator[RaceStep]:
    """Train all entrants side by side on the same texts, a step at a time.

    Adam with a memory of 0.98 for squares; nothing is clipped, which would hide the start.
    """
    require_whole(1, n_steps=n_steps, depth=depth, width=width, batch=batch)
    require_whole(0, seed=seed)
    require_number(lr=lr)
    if not field:
        raise ValueError("field must have at least one entrant, got none")
    return _race(tuple(field), n_steps, depth, width, lr, batch, seed)


def _race(field, n_steps, depth, width, lr, batch, seed) -> Iterator[RaceStep]:
    """The race itself; apart, so that bad input is named at the call."""
    runners = []
    for entrant in field:
        stack = Stack(entrant.placement, entrant.start, True, depth, width)
        model = Runner(stack, torch.Generator().manual_seed(seed))
        runners.append((entrant, model, torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))))
    texts = torch.Generator().manual_seed(1000 + seed)
    for step in range(1, n_steps + 1):
        token_ids, targets = copy_texts(texts, batch)
        losses = {}
        for entrant, model, optimiser in runners:
            optimiser.param_groups[0]["lr"] = lr * rise(step, entrant.warmup)
            loss = cross_entropy(model(token_ids), targets)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses[entrant.name] = loss.item()
        yield RaceStep(step, losses)


def rise(step: int, warmup: int) -> float:
    """The share of the full learning rate at this step, counted from 1."""
    return min(1.0, step / warmup) if warmup else 1.0
