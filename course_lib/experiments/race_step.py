"""What a race hands out at each step; ``plots.race`` draws it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RaceStep:
    """The losses of all entrants in one step, before its update; ``step`` counts from 1."""

    step: int
    losses: dict[str, float]
