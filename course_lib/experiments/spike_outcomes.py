"""What all injuries and remedies of ``spiked_gpt`` came to, in a few numbers (lesson 44)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course_lib.experiments.spiked_gpt import (
    INJURIES,
    NOTHING,
    ONSET,
    REMEDIES,
    Healthy,
    SpikeStep,
    inject,
)  # fmt: skip

N_LATE = 20  # the last steps, whose mean is the outcome
HIGH_NORM, HIGH_LOSS = 2.0, 1.5  # times the largest usual value: an alarm


@dataclass(frozen=True)
class Outcomes:
    """Every run of every injury, and one that nothing has happened to.

    Attributes:
        excess: by injury and remedy, how much the mean loss of the last 20 steps lies above that
            of the unhurt run; NaN when the run has ended.
        peaks: by injury and remedy, how much the highest loss since the injury does.
    """

    runs: dict[str, list[SpikeStep]]
    unhurt: list[SpikeStep]
    excess: dict[str, dict[str, float]]
    peaks: dict[str, dict[str, float]]


def all_injuries(
    healthy: Healthy, remedies: Mapping[str, Sequence[str]] | None = None
) -> Outcomes:
    """Inject every injury, with every remedy or with those that are named for it."""
    remedies = dict.fromkeys(INJURIES, REMEDIES) if remedies is None else remedies
    unhurt = list(inject(healthy, None, (NOTHING,)))
    runs = {injury: list(inject(healthy, injury, remedies[injury])) for injury in INJURIES}
    late, high = late_loss(unhurt, NOTHING), _highest(unhurt, NOTHING)
    return Outcomes(
        runs,
        unhurt,
        {i: {r: late_loss(runs[i], r) - late for r in remedies[i]} for i in INJURIES},
        {i: {r: _highest(runs[i], r) - high for r in remedies[i]} for i in INJURIES},
    )


def alarms(steps: Sequence[SpikeStep]) -> tuple[float, float, float]:
    """When, with nothing done, the norm, the loss of the same batch and the loss on clean text
    first were high; inf for never.
    """
    norms = [step.norms[NOTHING] for step in steps]
    own, clean = ([getattr(s, name)[NOTHING] for s in steps] for name in ("batch_losses", "losses"))
    return first_above(norms, HIGH_NORM), first_above(own, HIGH_LOSS), first_above(clean, HIGH_LOSS)


def late_loss(steps: Sequence[SpikeStep], remedy: str) -> float:
    """The mean loss of the last steps."""
    return sum(step.losses[remedy] for step in steps[-N_LATE:]) / N_LATE


def _highest(steps: Sequence[SpikeStep], remedy: str) -> float:
    return max(step.losses[remedy] for step in steps[ONSET - 1 :])


def first_above(values: Sequence[float], factor: float, n_usual: int = ONSET - 1) -> float:
    """The first step whose value exceeds ``factor`` times the largest usual one, or is NaN.

    Steps count from 1; the first ``n_usual`` are the usual ones; inf when there is none.
    """
    bar = factor * max(values[:n_usual])
    for step, value in enumerate(values[n_usual:], n_usual + 1):
        if not value <= bar:
            return step
    return math.inf


def table(excess: dict[str, dict[str, float]]) -> str:
    """A line an injury, a column a remedy."""
    lines = [" " * 24 + "".join(f"{remedy:>{len(remedy) + 3}}" for remedy in REMEDIES)]
    for injury, row in excess.items():
        cells = ("NaN" if math.isnan(row[r]) else f"{row[r]:.2f}" for r in REMEDIES)
        pairs = zip(REMEDIES, cells, strict=True)
        lines.append(f"{injury:24}" + "".join(f"{cell:>{len(r) + 3}}" for r, cell in pairs))
    return "\n".join(lines)
