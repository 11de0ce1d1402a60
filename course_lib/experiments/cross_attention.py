"""Decoders that also read an encoder: the stack in which Post-LN gradients do decay."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import GPTConfig, require_whole
from course_lib.experiments.gradient_flow import (
    EPS,
    LENGTH,
    N_TEXTS,
    PRE,
    GradientFlow,
    Stack,
    build_blocks,
    measure,
)
from course_lib.experiments.residual_variance import mean_square
from course_lib.experiments.starts import draw_weights
from course_lib.mechanisms.blocks import CrossAttentionBlock
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm

MEMORIES = ("encoder", "alike", "independent")


@dataclass(frozen=True)
class DecoderFlow:
    """Gradients in a decoder with cross-attention, and what that attention adds.

    Args:
        flow: the decoder's gradients, as in any stack.
        added: mean square of what cross-attention adds in each block.
    """

    flow: GradientFlow
    added: Float[Tensor, " layer"]

    def rate(self, matrix_index: int = 5) -> float:
        """By what factor the gradient changes from one block to the next lower one, on average."""
        column = self.flow.weights[:, matrix_index]
        return (column[0] / column[-1]).item() ** (1 / (len(column) - 1))


def decoder_flow(
    placement: str,
    start: str = "xavier",
    depth: int = 12,
    *,
    memory: str = "encoder",
    width: int = 256,
    gain: float = 1.0,
    seed: int = 0,
) -> DecoderFlow:
    """Push random vectors through a fresh decoder, and go back once from a random loss.

    Args:
        placement: where the layer norms stand.
        start: how the weights are drawn; cross-attention's as well.
        depth: number of blocks.
        memory: what cross-attention reads: ``encoder`` an encoder's output, as deep and drawn
            the same way; ``alike`` one random vector at every position; ``independent`` a new
            one at each.
        width: of the residual stream.
        gain: every matrix of the decoder is multiplied by this.
        seed: all random numbers follow from it.
    """
    if memory not in MEMORIES:
        raise ValueError(f"memory must be one of {MEMORIES}, got {memory!r}")
    stack = Stack(placement, start, True, depth, width, gain)  # names what is wrong
    require_whole(2, depth=depth)
    generator = torch.Generator().manual_seed(seed)
    source = _memory(memory, Stack(placement, start, False, depth, width), generator)
    blocks = nn.ModuleList(_block(placement, width) for _ in range(depth))
    draw_weights(blocks, start, depth, generator, stack.gain)
    x = torch.randn(N_TEXTS, LENGTH, width, generator=generator)
    visible, added = causal_mask(LENGTH), []
    hooks = [
        block.cross_attn.register_forward_hook(lambda *seen: added.append(mean_square(seen[-1])))
        for block in blocks
    ]
    flow = measure(blocks, x, lambda block, x: block(x, source, visible), generator)
    for hook in hooks:
        hook.remove()
    return DecoderFlow(flow, torch.tensor(added))


def _block(placement: str, width: int) -> CrossAttentionBlock:
    """One decoder block, with heads of 64 numbers where the width allows."""
    shape = {"d_model": width, "n_layers": 1, "n_heads": max(1, width // 64), "norm_eps": EPS}
    return CrossAttentionBlock(GPTConfig(1, 1, **shape), norm_first=placement == PRE)


@torch.no_grad()
def _memory(
    kind: str, stack: Stack, generator: torch.Generator
) -> Float[Tensor, "batch source d_model"]:
    """What cross-attention reads, every vector with variance 1."""
    x = torch.randn(N_TEXTS, LENGTH, stack.width, generator=generator)
    if kind == "encoder":
        for block in build_blocks(stack, generator):
            x = block(x)
    if kind == "alike":
        x = x[:, :1].expand_as(x)
    return layer_norm(x, eps=EPS)
