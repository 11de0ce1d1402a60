"""How large the stream of a fresh Pre-LN stack gets, by how its writers are drawn (lesson 34)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import GPTConfig, require_number, require_whole
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.initialisation import initialise_gpt
from course_lib.mechanisms.masks import causal_mask

READINGS = ("not scaled", "as a standard deviation", "as a variance")
PUBLISHED_WIDTH = 768
SEQ_LEN = 32


@dataclass(frozen=True)
class InitialStream:
    """Variance of the stream's features, at the input and after each block of a fresh stack.

    ``writer_std`` is the standard deviation of the two matrices a block that write to the stream,
    as it would be at the published width.
    """

    n_layers: int
    std: float
    reading: str
    writer_std: float
    variances: Float[Tensor, " depth"]


def writer_std(reading: str, std: float, n_layers: int) -> float:
    """Return the writers' standard deviation for one reading of "N(0, std / sqrt(2L))"."""
    if reading not in READINGS:
        raise ValueError(f"reading must be one of {READINGS}, got {reading!r}")
    require_whole(1, n_layers=n_layers)
    require_number(std=std)
    if std <= 0:
        raise ValueError(f"std must be > 0, got {std}")
    scaled = std / math.sqrt(2 * n_layers)
    return {"not scaled": std, "as a standard deviation": scaled}.get(reading, math.sqrt(scaled))


@torch.no_grad()
def initial_stream(
    n_layers: int = 12,
    std: float = 0.02,
    reading: str = "as a standard deviation",
    *,
    d_model: int = 64,
    seed: int = 0,
) -> InitialStream:
    """Send random tokens through a fresh stack, one block's weights at a time.

    Args:
        std: of all other matrices, at width 768; at ``d_model`` it is larger, so that width times
            variance is the same.
        reading: how the writers are drawn, one of READINGS.
    """
    wanted = writer_std(reading, std, n_layers)
    here = math.sqrt(PUBLISHED_WIDTH / d_model)
    config = GPTConfig(1, SEQ_LEN, d_model, n_layers, n_heads=4, init_std=std * here)
    visible = causal_mask(SEQ_LEN)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        x = torch.randn(2, SEQ_LEN, d_model) * std * math.sqrt(2)  # a token's row and a position's
        variances = [x.var(dim=-1, correction=0).mean()]
        for _ in range(n_layers):
            x = _fresh_block(config, wanted * here)(x, visible)
            variances.append(x.var(dim=-1, correction=0).mean())
    return InitialStream(n_layers, std, reading, wanted, torch.stack(variances))


def _fresh_block(config: GPTConfig, writers: float) -> PreNormBlock:
    """A block with the usual weights, but for the two matrices that write to the stream."""
    block = PreNormBlock(config)
    initialise_gpt(block, config.init_std)
    for matrix in (block.attn.out_proj.weight, block.ffn.narrow.weight):
        matrix.normal_(std=writers)
    return block
