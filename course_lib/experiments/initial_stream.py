"""How large the stream of a fresh Pre-LN stack gets, by how its writers are drawn (lesson 34).

All spreads are those of the published width.  At other widths the matrices are drawn wider, so
that width times variance is the same; the two tables are not, since nothing is summed over them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.fresh_stack import fresh_layers
from course_lib.experiments.gradient_flow import apart
from course_lib.experiments.starts import PUBLISHED_STD
from course_lib.mechanisms.masks import causal_mask

NOT_SCALED, AS_STD, AS_VARIANCE = READINGS = (
    "not scaled", "as a standard deviation", "as a variance",
)  # fmt: skip
ONE_WRITE, LENGTHS = "L in place of 2L", "2L without the root"
DEPTHS = (2, 6, 12, 24, 48)


def writer_std(reading: str, std: float, n_layers: int) -> float:
    """Return the standard deviation of the two matrices of a block that write to the stream."""
    require_whole(1, n_layers=n_layers)
    require_number(std=std)
    if std <= 0:
        raise ValueError(f"std must be > 0, got {std}")
    scaled = std / math.sqrt(2 * n_layers)
    spreads = {
        NOT_SCALED: std,
        AS_STD: scaled,
        AS_VARIANCE: math.sqrt(scaled),
        ONE_WRITE: std / math.sqrt(n_layers),
        LENGTHS: std / (2 * n_layers),
    }
    if reading not in spreads:
        raise ValueError(f"reading must be one of {tuple(spreads)}, got {reading!r}")
    return spreads[reading]


@dataclass(frozen=True)
class InitialStream:
    """One fresh stack: the stream's variance at each place, and what each sublayer adds.

    Args:
        writer_std: spread of the writers at the published width.
        variances: of the stream's features, at the input and after each block.
        attention: mean square of what attention adds in each block.
        feed_forward: the same for the feed-forward layer.
        likeness: mean cosine between two tokens of a text as they enter each block.
    """

    n_layers: int
    std: float
    reading: str
    writer_std: float
    variances: Float[Tensor, " place"]
    attention: Float[Tensor, " layer"]
    feed_forward: Float[Tensor, " layer"]
    likeness: Float[Tensor, " layer"]


def initial_stream(
    n_layers: int = 12,
    std: float = PUBLISHED_STD,
    reading: str = AS_STD,
    *,
    d_model: int = 256,
    seq_len: int = 32,
    positions_std: float | None = None,
    same_weights: bool = False,
    seed: int = 0,
) -> InitialStream:
    """Send random tokens up a fresh stack and measure every block.

    Args:
        std: standard deviation of all matrices and tables but the writers.
        reading: how the writers are drawn, one of READINGS, ONE_WRITE and LENGTHS.
        positions_std: of the table of positions, if it has one of its own.
        same_weights: True uses one block's weights in all blocks.
    """
    writers = writer_std(reading, std, n_layers)
    require_whole(1, d_model=d_model, seq_len=seq_len)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    x = _tokens(2, seq_len, d_model, std, positions_std, generator)
    layers = _layers(x, n_layers, std, writers / std, same_weights, generator)
    variances, rows = [_variance(x).mean()], []
    for layer in layers:
        variances.append(_variance(layer.after).mean())
        parts = (layer.attention.square().mean(), layer.feed_forward.square().mean())
        rows.append(torch.stack([*parts, 1 - apart(layer.before).float()]))
    parts = torch.stack(rows).unbind(1)
    return InitialStream(n_layers, std, reading, writers, torch.stack(variances), *parts)


@dataclass(frozen=True)
class StreamEnds:
    """The stream's variance after the last block, for stacks of several depths."""

    depths: tuple[int, ...]
    std: float
    same_weights: bool
    variances: dict[str, Float[Tensor, " depth"]]


def stream_ends(
    std: float = PUBLISHED_STD,
    same_weights: bool = False,
    *,
    readings: Sequence[str] = READINGS,
    depths: Sequence[int] = DEPTHS,
    d_model: int = 128,
    seed: int = 0,
) -> StreamEnds:
    """Measure where the stream ends, at each depth with weights of its own.

    The readings of one depth share their random numbers: only the writers' size differs.

    Cost:
        sum(depths) blocks, one at a time; 63 blocks of width 768 and 3 readings take about 5 s.
    """
    ends = {reading: [] for reading in readings}
    for depth in depths:
        factors = torch.tensor([writer_std(r, std, depth) / std for r in readings])
        generator = torch.Generator().manual_seed(1000 * seed + depth)
        x = _tokens(1, 32, d_model, std, None, generator).expand(len(readings), -1, -1)
        for layer in _layers(x, depth, std, factors[:, None, None], same_weights, generator):
            last = layer
        for reading, end in zip(readings, _variance(last.after), strict=True):
            ends[reading].append(end)
    variances = {reading: torch.stack(found) for reading, found in ends.items()}
    return StreamEnds(tuple(depths), std, same_weights, variances)


def _tokens(n_texts, seq_len, d_model, std, positions_std, generator) -> Tensor:
    """Sums of a token's row and a position's, every token another one."""
    positions_std = std if positions_std is None else positions_std
    spread = math.sqrt(std**2 + positions_std**2)
    return torch.randn(n_texts, seq_len, d_model, generator=generator) * spread


def _layers(x, n_layers, std, writers, same_weights, generator):
    """The walk with GPT's mask and this spread."""
    return fresh_layers(
        x, n_layers, "normal", generator, visible=causal_mask(x.shape[1]),
        gain=std / PUBLISHED_STD, writers=writers, same_weights=same_weights,
    )  # fmt: skip


def _variance(x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, " batch"]:
    """Variance of the features, a mean over the positions of each text."""
    return x.var(dim=-1, correction=0).mean(dim=-1)
