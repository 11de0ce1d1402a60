"""Deep stacks learn to copy, with and without warm-up, with norms before and after (lesson 33)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.config import require_number, require_whole
from course_lib.experiments.copy_task import LENGTH, N_LETTERS, copy_texts
from course_lib.experiments.gradient_flow import EPS, POST, PRE, Stack, build_blocks
from course_lib.experiments.race_step import RaceStep
from course_lib.mechanisms.losses import cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import LayerNorm

EVERYTHING, FEED_FORWARD, THE_REST = PARTS = ("everything", "feed-forward", "the rest")


@dataclass(frozen=True)
class Entrant:
    """One way to train: where the norms stand, how weights are drawn, how long the rate rises.

    Args:
        placement: where the layer norms stand.
        start: how the matrices are drawn.
        warmup: steps over which the learning rate rises from 0; 0 starts at the full rate.
        slow: what warms up, one of PARTS: everything, the feed-forward layers alone, or all the
            rest; what does not has the full rate from the first step.
    """

    placement: str
    start: str
    warmup: int
    slow: str = EVERYTHING

    def __post_init__(self):
        Stack(self.placement, self.start)  # names what is wrong
        require_whole(0, warmup=self.warmup)
        if self.slow not in PARTS:
            raise ValueError(f"slow must be one of {PARTS}, got {self.slow!r}")

    @property
    def name(self) -> str:
        """What the figure calls it."""
        rise = "warm-up" if self.warmup else "no warm-up"
        part = "" if self.slow == EVERYTHING else f" of {self.slow}"
        return f"{self.placement}, {self.start}, {rise}{part}"

    def rate(self, step: int, feed_forward: bool) -> float:
        """The share of the full learning rate at this step, counted from 1, for one part."""
        own = FEED_FORWARD if feed_forward else THE_REST
        return rise(step, self.warmup) if self.slow in (EVERYTHING, own) else 1.0


FIELD = (
    Entrant(POST, "xavier", 0),
    Entrant(POST, "xavier", 100),
    Entrant(POST, "xavier", 100, FEED_FORWARD),
    Entrant(POST, "linear", 0),
    Entrant(PRE, "xavier", 0),
)


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

    def top(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq d_model"]:
        """Return the normalised vectors on top of the stack; the future is hidden."""
        n = token_ids.shape[1]
        x = self.norm_in(self.tokens[token_ids] + self.positions[:n])
        visible = causal_mask(n)
        for block in self.blocks:
            x = block(x, visible)
        return self.norm_out(x)

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq letter"]:
        """Return a logit for every letter at every position."""
        return self.top(token_ids) @ self.head


class _Training:
    """One entrant's model and its Adam, with a memory of 0.98 for squares; nothing is clipped."""

    def __init__(self, entrant: Entrant, depth: int, width: int, lr: float, seed: int):
        self.entrant, self.lr = entrant, lr
        stack = Stack(entrant.placement, entrant.start, True, depth, width)
        self.model = Runner(stack, torch.Generator().manual_seed(seed))
        named = list(self.model.named_parameters())
        groups = [[p for name, p in named if (".ffn." in name) == ffn] for ffn in (True, False)]
        self.adam = torch.optim.Adam(
            [{"params": group} for group in groups], betas=(0.9, 0.98), fused=True
        )

    def update(self, step: int, token_ids: Tensor, targets: Tensor) -> float:
        """One step; returns the loss before it."""
        for group, feed_forward in zip(self.adam.param_groups, (True, False), strict=True):
            group["lr"] = self.lr * self.entrant.rate(step, feed_forward)
        loss = cross_entropy(self.model(token_ids), targets)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return loss.item()


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
    """Train all entrants side by side on the same texts, a step at a time."""
    require_whole(1, n_steps=n_steps, depth=depth, width=width, batch=batch)
    require_whole(0, seed=seed)
    require_number(lr=lr)
    if not field:
        raise ValueError("field must have at least one entrant, got none")
    return _race([_Training(e, depth, width, lr, seed) for e in field], n_steps, batch, seed)


def _race(runners: Sequence[_Training], n_steps: int, batch: int, seed: int) -> Iterator[RaceStep]:
    """The race itself; apart, so that bad input is named at the call."""
    texts = torch.Generator().manual_seed(1000 + seed)
    for step in range(1, n_steps + 1):
        token_ids, targets = copy_texts(texts, batch)
        losses = {r.entrant.name: r.update(step, token_ids, targets) for r in runners}
        yield RaceStep(step, losses)


def movement(
    entrant: Entrant,
    n_steps: int = 1,
    *,
    depth: int = 6,
    width: int = 64,
    lr: float = 2e-3,
    batch: int = 8,
    seed: int = 0,
) -> Float[Tensor, " step"]:
    """How far each of the first steps moves the vectors on top of the stack, on its own texts.

    Returns:
        The length of the change, divided by that of the vectors; 1.41 for unrelated ones.
    """
    require_whole(1, n_steps=n_steps, depth=depth, width=width, batch=batch)
    require_whole(0, seed=seed)
    require_number(lr=lr)
    training = _Training(entrant, depth, width, lr, seed)
    texts = torch.Generator().manual_seed(1000 + seed)
    moved = []
    for step in range(1, n_steps + 1):
        token_ids, targets = copy_texts(texts, batch)
        with torch.no_grad():
            before = training.model.top(token_ids)
        training.update(step, token_ids, targets)
        with torch.no_grad():
            moved.append((training.model.top(token_ids) - before).norm() / before.norm())
    return torch.stack(moved)


def rise(step: int, warmup: int) -> float:
    """The share of the full learning rate at this step, counted from 1."""
    return min(1.0, step / warmup) if warmup else 1.0
