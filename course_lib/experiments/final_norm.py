"""What a Pre-LN stack's last layer norm does to the logits, at every depth (lesson 31)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import GPTConfig, require_whole
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.initialisation import initialise_gpt
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm

DEPTHS = (3, 6, 12, 24, 48)
D_MODEL = 256
VOCAB_SIZE = 500
SEQ_LEN = 32
STD = 0.02 * math.sqrt(768 / D_MODEL)  # d_model * std^2 as in the published models of width 768


@dataclass(frozen=True)
class FinalNorm:
    """Logits of fresh stacks of several depths, read with and without the final norm.

    ``spread`` is the standard deviation of the stream's features, ``with_norm`` and ``without``
    that of the logits over the vocabulary; each is the mean over all positions.
    """

    depths: tuple[int, ...]
    scaled: bool
    spread: Float[Tensor, " depth"]
    with_norm: Float[Tensor, " depth"]
    without: Float[Tensor, " depth"]


@torch.no_grad()
def final_norm(
    depths: Sequence[int] = DEPTHS, *, scaled: bool = False, seed: int = 0
) -> FinalNorm:
    """Send random tokens through fresh Pre-LN blocks and read logits after each depth.

    Args:
        depths: numbers of blocks, rising.
        scaled: False draws every matrix with the same std; True makes the two matrices of a
            block that write to the stream smaller by sqrt(2L) (lesson 34).

    Cost:
        One block's weights at a time.  Unscaled, the depths share one pass; scaled, every depth
        has weights of its own.
    """
    require_whole(1, **{f"depths[{i}]": depth for i, depth in enumerate(depths)})
    if list(depths) != sorted(set(depths)):
        raise ValueError(f"depths must rise, got {tuple(depths)}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        x = torch.randn(2, SEQ_LEN, D_MODEL) * STD * math.sqrt(2)  # a token's row and a position's
        head = torch.randn(VOCAB_SIZE, D_MODEL) * STD
        if scaled:
            streams = [_stack(x, depth, 1 / math.sqrt(2 * depth))[-1] for depth in depths]
        else:
            after = _stack(x, depths[-1], 1.0)
            streams = [after[depth - 1] for depth in depths]
    rows = [_read(stream, head) for stream in streams]
    return FinalNorm(tuple(depths), scaled, *torch.tensor(rows).T)


def _stack(x: Tensor, n_layers: int, writers: float) -> list[Tensor]:
    """The stream after each of so many fresh blocks; ``writers`` times the usual std."""
    config = GPTConfig(VOCAB_SIZE, SEQ_LEN, D_MODEL, n_layers, n_heads=4, init_std=STD)
    visible, after = causal_mask(SEQ_LEN), []
    for _ in range(n_layers):
        block = PreNormBlock(config)
        initialise_gpt(block, STD)  # takes it for a stack of one and divides by sqrt(2)
        for matrix in (block.attn.out_proj.weight, block.ffn.narrow.weight):
            matrix.mul_(math.sqrt(2) * writers)
        x = block(x, visible)
        after.append(x)
    return after


def _read(x: Tensor, head: Tensor) -> tuple[float, float, float]:
    """Spread of the stream, of the logits with the norm, and of those without."""
    spread = x.std(dim=-1, correction=0).mean()
    logits = [(read @ head.T).std(dim=-1).mean() for read in (layer_norm(x), x)]
    return spread.item(), logits[0].item(), logits[1].item()
