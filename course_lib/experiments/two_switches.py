"""Four kinds of transformer from two switches: what a word may read, and where the norm stands.

BERT has both switches one way, GPT-2 both the other way.  So a difference between the two may
come from either.  Here each row of their comparison is measured with either switch alone, and
for several ways to draw the weights (lesson 65).
"""

from dataclasses import dataclass, replace
from functools import cache

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import require_switch, require_whole
from course_lib.experiments.gradient_flow import POST, PRE, Stack, build_blocks, gradient_flow
from course_lib.experiments.looking_ahead import reactions
from course_lib.experiments.operation_counts import counted
from course_lib.experiments.starts import require_start
from course_lib.mechanisms.masks import causal_mask

WIDTH, DEPTH, HALF_DEPTH = 64, 12, 2
SETTLED = 1e-9  # float64 rounds far below this, and a vector has a length of about 8


@dataclass(frozen=True)
class Design:
    """Which way the two switches stand, and how the weights are drawn.

    Args:
        causal: True lets a word read itself and those before it, False all of them.
        norm_first: True normalises what a sublayer reads (Pre-LN), False the sum (Post-LN).
        start: how weights are drawn, one of ``starts.STARTS``.
    """

    causal: bool
    norm_first: bool
    start: str = "xavier"

    def __post_init__(self):
        require_switch(causal=self.causal, norm_first=self.norm_first)
        require_start(self.start)

    def stack(self, depth: int = HALF_DEPTH) -> Stack:
        """Fresh blocks of this kind."""
        placement = PRE if self.norm_first else POST
        return Stack(placement, self.start, self.causal, depth, WIDTH)


BERT, GPT = Design(causal=False, norm_first=False), Design(causal=True, norm_first=True)
DESIGNS = (BERT, Design(True, False), Design(False, True), GPT)


@dataclass(frozen=True)
class Row:
    """What one row of the comparison comes to, for one design.

    Args:
        influence: size of the reaction of each output (row) to each input (column).
        pairs: share of all pairs of words with an influence.
        kept: share of the words whose vectors stay as they are when one more word comes.
        next_seen: share of the places, but the last, whose vector depends on the next word.
        operations: that PyTorch counts in one block.
        top: gradient that reaches the last of twelve blocks, over that of the last of two.
    """

    influence: Float[Tensor, "seq seq"]
    pairs: float
    kept: float
    next_seen: float
    operations: int
    top: float


@cache
def measured(design: Design, n_words: int = 8, seed: int = 0) -> Row:
    """Build two blocks of a kind with random weights, and measure every row of the comparison.

    All four kinds have the same weights for the same start and seed.
    """
    require_whole(2, n_words=n_words)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    blocks = build_blocks(design.stack(), generator).double().requires_grad_(False)
    x = torch.randn(1, n_words + 1, WIDTH, generator=generator, dtype=torch.float64)
    probe = torch.randn(WIDTH, generator=generator, dtype=torch.float64)
    text = x[:, :n_words]
    influence = reactions(lambda y: read(blocks, y, design.causal), text, probe)
    moved = (read(blocks, x, design.causal)[0, :n_words] - read(blocks, text, design.causal)[0])
    return Row(
        influence,
        pairs=(influence > 0).double().mean().item(),
        kept=(moved.abs().amax(dim=-1) < SETTLED).double().mean().item(),
        next_seen=(influence.diagonal(1) > 0).double().mean().item(),
        operations=counted(lambda: read(blocks[:1], text, design.causal)),
        top=top_gradient(design, seed),
    )


@cache
def top_gradient(design: Design, seed: int = 0) -> float:
    """The gradient that enters the last of twelve blocks from above, over that with two blocks."""
    deep, shallow = (gradient_flow(design.stack(depth), seed) for depth in (DEPTH, HALF_DEPTH))
    return (deep.stream[-1] / shallow.stream[-1]).item()


def read(
    blocks: nn.ModuleList, x: Float[Tensor, "batch seq d_model"], causal: bool
) -> Float[Tensor, "batch seq d_model"]:
    """Send vectors through blocks, with or without the mask."""
    visible: Bool[Tensor, "seq seq"] | None = causal_mask(x.shape[1]) if causal else None
    for block in blocks:
        x = block(x, visible)
    return x


@dataclass(frozen=True)
class Switched:
    """One design between the two families, for the figure."""

    design: Design
    row: Row
    bert: Row
    gpt: Row


def switched(
    causal: bool, norm_first: bool, n_words: int = 8, start: str = "xavier"
) -> Switched:
    """Put the switches as you like, and measure beside BERT and GPT, all drawn in one way."""
    design = Design(causal, norm_first, start)
    corners = (replace(each, start=start) for each in (BERT, GPT))
    return Switched(design, *(measured(each, n_words) for each in (design, *corners)))
