"""What the number of tokens that attention averages does to gradients in Post-LN (lesson 33)."""

import torch

from course_lib.config import require_whole
from course_lib.experiments.gradient_flow import (
    LENGTH,
    N_TEXTS,
    GradientFlow,
    Stack,
    build_blocks,
    measure,
)

POSITIONS = N_TEXTS * LENGTH


def averaging_flow(
    stack: Stack, length: int, *, alone: bool = False, seed: int = 0
) -> GradientFlow:
    """Measure a stack on 128 positions, cut into texts of ``length`` tokens, all visible.

    Args:
        stack: placement, start, depth and width; its mask is not used.
        length: tokens of a text; must divide 128.
        alone: True lets every token see itself only, so nothing is averaged.
        seed: all random numbers follow from it.
    """
    require_whole(1, length=length)
    require_whole(0, seed=seed)
    if POSITIONS % length:
        raise ValueError(f"length must divide {POSITIONS}, got {length}")
    generator = torch.Generator().manual_seed(seed)
    blocks = build_blocks(stack, generator)
    x = torch.randn(POSITIONS // length, length, stack.width, generator=generator)
    visible = torch.eye(length, dtype=torch.bool) if alone else None
    return measure(blocks, stack.input_std * x, lambda block, x: block(x, visible), generator)
