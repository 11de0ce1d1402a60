"""Timing in interleaved rounds: what else the machine does then hits both sides alike."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Speed of ours and theirs in each round.

    Units:
        tokens per second.
    """

    ours: list[float]
    theirs: list[float]

    @property
    def ratios(self) -> list[float]:
        """Ours over theirs, round by round; above 1 we are faster."""
        return [a / b for a, b in zip(self.ours, self.theirs, strict=True)]

    @property
    def median_ratio(self) -> float:
        """The middle of the rounds' ratios."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> str:
        """The ratios in words: their median, how many, and their range."""
        return (
            f"median {self.median_ratio:.2f} of {len(self.ratios)} rounds, "
            f"range {min(self.ratios):.2f} to {max(self.ratios):.2f}"
        )


def compare(
    ours: Callable[[], None],
    theirs: Callable[[], None],
    *,
    tokens: int,
    n_rounds: int,
    n_steps: int,
    n_warm_up: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Comparison:
    """Time both in turn; who goes first alternates from round to round.

    Args:
        ours: makes one training step.
        theirs: makes one training step.
        tokens: that one step learns from.
        n_rounds: rounds, each with one turn for either side.
        n_steps: steps in a turn.
        n_warm_up: steps of each before anything is timed.
        clock: seconds; tests give a false one.
    """
    sides = {"ours": ours, "theirs": theirs}
    for step in sides.values():
        _turn(step, n_warm_up, clock)
    speeds = {name: [] for name in sides}
    for round_number in range(n_rounds):
        names = list(sides) if round_number % 2 == 0 else list(sides)[::-1]
        for name in names:
            seconds = _turn(sides[name], n_steps, clock)
            speeds[name].append(n_steps * tokens / seconds)
    return Comparison(**speeds)


def _turn(step: Callable[[], None], n_steps: int, clock: Callable[[], float]) -> float:
    """Make the steps and return the seconds they took."""
    start = clock()
    for _ in range(n_steps):
        step()
    return clock() - start
