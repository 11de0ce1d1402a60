"""A run to watch and to interrupt: the share of heads among more and more coin flips."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Flips:
    """The state of the experiment after ``step`` flips."""

    step: int
    share: float


def flip_coins(n_flips: int, seed: int = 0, seconds_per_flip: float = 0.0) -> Iterator[Flips]:
    """Flip a fair coin and yield the share of heads so far, after every flip.

    Args:
        n_flips: how many flips.
        seed: of the generator.
        seconds_per_flip: a pause after each, so that there is time to watch.
    """
    if n_flips < 1:
        raise ValueError(f"n_flips must be >= 1, got {n_flips}")
    flips = torch.randint(2, (n_flips,), generator=torch.Generator().manual_seed(seed))
    shares = flips.cumsum(0) / torch.arange(1, n_flips + 1)
    for step, share in enumerate(shares.tolist(), start=1):
        yield Flips(step, share)
        time.sleep(seconds_per_flip)
