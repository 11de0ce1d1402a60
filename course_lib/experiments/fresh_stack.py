"""The walk up a fresh stack: one block, whose weights are drawn anew for every layer.

Nothing is trained here, so no block is needed twice: memory is that of one block at any depth.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.gradient_flow import PRE, empty_block
from course_lib.experiments.starts import draw_weights, require_start
from course_lib.mechanisms.blocks import PostNormBlock, PreNormBlock


@dataclass(frozen=True)
class Layer:
    """The stream as it enters one Pre-LN block, and what the two sublayers add to it.

    ``step`` counts the blocks from 1.
    """

    step: int
    before: Float[Tensor, "batch seq d_model"]
    attention: Float[Tensor, "batch seq d_model"]
    feed_forward: Float[Tensor, "batch seq d_model"]

    @property
    def after(self) -> Float[Tensor, "batch seq d_model"]:
        """The stream as it leaves the block."""
        return self.before + self.attention + self.feed_forward


def fresh_layers(
    x: Float[Tensor, "batch seq d_model"],
    n_layers: int,
    start: str,
    generator: torch.Generator,
    *,
    visible: Bool[Tensor, "seq seq"] | None = None,
    gain: float = 1.0,
    writers: float | Float[Tensor, "batch 1 1"] = 1.0,
    same_weights: bool = False,
) -> Iterator[Layer]:
    """Send ``x`` up a fresh Pre-LN stack and hand out every layer on the way.

    Args:
        start, gain: how matrices are drawn, as ``draw_weights`` says.
        visible: who may read whom; None shows everything.
        writers: multiplies the two matrices of a block that write to the stream; a tensor gives
            every text of the batch writers of its own.
        same_weights: True draws one block and uses it in every layer, as ALBERT does.
    """
    blocks = fresh_blocks(PRE, x.shape[-1], n_layers, start, generator, gain, same_weights)
    return _walk(x, blocks, visible, writers)


def _walk(x, blocks, visible, writers) -> Iterator[Layer]:
    """The two lines of PreNormBlock.forward, with the parts kept (a test compares them)."""
    for step, block in enumerate(blocks, 1):
        with torch.no_grad():
            # Biases are 0, so a factor on the matrix is one on what it writes.
            attention = writers * block.attn(block.norm_1(x), visible)
            feed_forward = writers * block.ffn(block.norm_2(x + attention))
        layer = Layer(step, x, attention, feed_forward)
        yield layer
        x = layer.after


def fresh_blocks(
    placement: str,
    width: int,
    n_layers: int,
    start: str,
    generator: torch.Generator,
    gain: float = 1.0,
    same_weights: bool = False,
) -> Iterator[PreNormBlock | PostNormBlock]:
    """Hand out one and the same block ``n_layers`` times, each time with other weights."""
    require_start(start)
    require_whole(1, n_layers=n_layers, width=width)
    require_number(gain=gain)
    return _blocks(placement, width, n_layers, start, generator, gain, same_weights)


def _blocks(placement, width, n_layers, start, generator, gain, same_weights):
    """The loop itself; apart, so that bad input is named at the call."""
    with torch.random.fork_rng(devices=[]):  # what torch draws by itself is overwritten
        block = empty_block(placement, width)
    for step in range(n_layers):
        if step == 0 or not same_weights:
            draw_weights([block], start, n_layers, generator, gain)
        yield block
