"""Reserved memory that stays empty: whole texts ahead of time, or blocks as they grow (52)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.block_table import BlockPool

LONGEST = 2048  # tokens that a text may have, and that a careful server reserves for each
MEAN = 362
N_PLACES = 16 * 1024  # of the small memory that is drawn
BLOCK_SIZES = tuple(2**power for power in range(12))  # 1 to LONGEST


@dataclass(frozen=True)
class MemoryMap:
    """One memory, full of texts, each with as many blocks as it needs.

    Args:
        block_size: places in a block; LONGEST is a reservation for the longest text.
        owners: the number of the text that a place belongs to, -1 where it is free.
        filled: whether a token stands there.
        n_texts: how many texts have found room.
        entries: blocks that all their tables list together.
        shares: what share of the reserved places holds a token, over 2,000 such texts, for each
            of BLOCK_SIZES.
    """

    block_size: int
    owners: Int[Tensor, " place"]
    filled: Bool[Tensor, " place"]
    n_texts: int
    entries: int
    shares: Float[Tensor, " size"]

    @property
    def share(self) -> float:
        """The share for this block size."""
        return self.shares[BLOCK_SIZES.index(self.block_size)].item()


def text_lengths(
    n: int = 2000, mean: float = MEAN, spread: float = 0.6, seed: int = 0
) -> Int[Tensor, " text"]:
    """Draw lengths of texts, log-normal, from 1 to LONGEST tokens.

    Args:
        n: how many.
        mean: of the distribution that they are drawn from, before the longest are cut.
        spread: standard deviation of the logarithm.
    """
    require_whole(1, n=n)
    require_number(mean=mean, spread=spread)
    if mean <= 0 or spread < 0:
        raise ValueError(f"mean must be > 0 and spread >= 0, got {mean} and {spread}")
    normal = torch.randn(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    lengths = mean * (spread * normal - spread**2 / 2).exp()
    return lengths.ceil().clamp(1, LONGEST).long()


def share_used(lengths: Int[Tensor, " text"], block_size: int) -> float:
    """Return the share of the reserved places that hold a token when all texts are complete.

    With ``block_size = LONGEST`` this is the contiguous reservation for the longest text.
    """
    require_whole(1, block_size=block_size)
    return (lengths.sum() / (_blocks(lengths, block_size) * block_size).sum()).item()


def share_over_life(lengths: Int[Tensor, " text"], block_size: int | None = None) -> float:
    """Return the share in use on average while the texts grow, one token after the other.

    With ``block_size=None`` each text has one piece from the start, of exactly the length that
    it will have in the end, as if that were known.
    """
    tokens = (lengths * (lengths + 1) // 2).sum()  # 1, then 2, up to the whole length
    if block_size is None:
        return (tokens / (lengths * lengths).sum()).item()
    require_whole(1, block_size=block_size)
    full, rest = lengths // block_size, lengths % block_size
    # Each full block stood there for block_size steps, with all blocks before it.
    blocks = block_size * full * (full + 1) // 2 + rest * (full + 1)
    return (tokens / (blocks * block_size).sum()).item()


def read_times(
    block_sizes: Sequence[int] = (1, 4, 16, 64, LONGEST), width: int = 512, rounds: int = 25
) -> Float[Tensor, " size"]:
    """Median seconds to read a text of LONGEST rows out of scattered blocks of each size."""
    pools = []
    for size in block_sizes:
        pool = BlockPool(LONGEST // size, size, width)
        pool.append("text", torch.zeros(LONGEST, width))
        order = torch.randperm(LONGEST // size, generator=torch.Generator().manual_seed(0))
        pool.tables["text"] = order.tolist()
        pools.append(pool)
    seconds = torch.empty(rounds, len(pools))
    for row in seconds:
        for column, pool in enumerate(pools):
            start = time.perf_counter()
            pool.read("text")
            row[column] = time.perf_counter() - start
    return seconds.median(0).values


def fill_memory(
    block_size: int, mean: float = MEAN, spread: float = 0.6, seed: int = 0
) -> MemoryMap:
    """Let texts in until the next one finds no room, and let all grow, a token each in turn."""
    if block_size not in BLOCK_SIZES:
        raise ValueError(f"block_size must be one of {BLOCK_SIZES}, got {block_size!r}")
    shares = [share_used(text_lengths(2000, mean, spread, seed), size) for size in BLOCK_SIZES]
    lengths = text_lengths(N_PLACES, mean, spread, seed)
    room = _blocks(lengths, block_size).cumsum(0) <= N_PLACES // block_size
    lengths = lengths[room]
    owners = torch.full((N_PLACES,), -1)
    filled = torch.zeros(N_PLACES, dtype=torch.bool)
    tables = _tables_of_growing(lengths, block_size)
    for text, (table, length) in enumerate(zip(tables, lengths.tolist(), strict=True)):
        places = (table[:, None] * block_size + torch.arange(block_size)).flatten()
        owners[places] = text
        filled[places[:length]] = True
    return MemoryMap(
        block_size, owners, filled, len(lengths), sum(map(len, tables)), torch.tensor(shares)
    )


def _blocks(lengths: Int[Tensor, " text"], block_size: int) -> Int[Tensor, " text"]:
    """How many blocks each text needs, rounded up."""
    return (lengths + block_size - 1) // block_size


def _tables_of_growing(lengths: Int[Tensor, " text"], block_size: int) -> list[Tensor]:
    """The blocks of each text when every one takes its next when the last is full."""
    counts = _blocks(lengths, block_size)
    # Round r: all texts that need more than r blocks take one, in the order in which they came.
    turn = [(counts > r).nonzero().flatten() for r in range(int(counts.max()))]
    takers = torch.cat(turn)
    return [(takers == text).nonzero().flatten() for text in range(len(lengths))]
