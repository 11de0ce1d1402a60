"""A run to watch and to interrupt: the share of heads among more and more coin flips."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from course_lib.config import require_number, require_whole


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
    require_whole(1, n_flips=n_flips)
    require_number(seconds_per_flip=seconds_per_flip)
    if seconds_per_flip < 0:
        raise ValueError(f"seconds_per_flip must be >= 0, got {seconds_per_flip}")
    return _flips(n_flips, seed, seconds_per_flip)


def _flips(n_flips: int, seed: int, seconds_per_flip: float) -> Iterator[Flips]:
    """Flip; apart from the checks, which are to come at the call and not at the first flip."""
    flips = torch.randint(2, (n_flips,), generator=torch.Generator().manual_seed(seed))
    shares = flips.cumsum(0) / torch.arange(1, n_flips + 1)
    for step, share in enumerate(shares.tolist(), start=1):
        yield Flips(step, share)
        time.sleep(seconds_per_flip)
