"""The recorded contest on labels: who learns how much from how many (lesson 63).

``fine_tuning.json`` beside this file is made by ``python3 -m course_lib bench --fine-tuning``;
what the file says about itself (``command``, ``date``, ``machine``) names the call and the day.
"""

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("fine_tuning.json")
FULL, FROZEN, SCRATCH, RIVAL = CONTESTANTS = (
    "pre-trained", "pre-trained, frozen", "from scratch", "simple rival",
)  # fmt: skip
# The factor of a 95 % interval for the mean of so many draws: quantiles of Student's t.
_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}


@dataclass(frozen=True)
class Entry:
    """One contestant on one task with so many labels.

    Attributes:
        rate: of learning, the best of those tried; None for one that has none.
        tried: the score of each rate, of 1,000 labels, on others that nobody is measured on.
        scores: shares of right answers on held-out labels, one for each seed.
    """

    task: str
    contestant: str
    n_labels: int
    rate: float | None
    tried: Mapping[str, float]
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return statistics.fmean(self.scores)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean over many seeds lies, 95 % sure if scores are about normal."""
        return interval(self.scores)


@dataclass(frozen=True)
class Contest:
    """All of it.

    Attributes:
        entries: one for each task, contestant and number of labels.
        spread: held-out scores of many seeds, by rate, with ``spread_labels`` labels of the task
            ``spread_task``.
        epochs: held-out scores of the seeds, by the number of times that all labels were seen;
            each is a run of its own, whose rate falls to 0 at its end.
        steps: of all that are trained, by task.
        epoch_task, epoch_labels, batch, n_held_out, command, date, machine: how it was
            measured.
    """

    entries: tuple[Entry, ...]
    spread: Mapping[str, tuple[float, ...]]
    epochs: Mapping[int, tuple[float, ...]]
    spread_task: str
    spread_labels: int
    epoch_task: str
    epoch_labels: int
    steps: Mapping[str, int]
    batch: int
    n_held_out: int
    command: str
    date: str
    machine: str

    def of(self, task: str, contestant: str) -> tuple[Entry, ...]:
        """The entries of one contestant on one task, from few labels to many."""
        found = (e for e in self.entries if (e.task, e.contestant) == (task, contestant))
        return tuple(sorted(found, key=lambda entry: entry.n_labels))

    def gains(self, task: str, over: str = SCRATCH) -> dict[int, float]:
        """By how much the pre-trained one is ahead of another, in means, by number of labels."""
        theirs = {entry.n_labels: entry.mean for entry in self.of(task, over)}
        return {entry.n_labels: entry.mean - theirs[entry.n_labels]
                for entry in self.of(task, FULL) if entry.n_labels in theirs}  # fmt: skip


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval for the mean of a few scores, after Student's t.

    It tells how far the mean depends on the seeds.  All are measured on the same texts, and the
    chance in these is not part of it.  A single score, of one that has no seed, has no width.
    """
    mean = statistics.fmean(scores)
    if len(scores) == 1:
        return mean, mean
    factor = _T[min(len(scores), max(_T))]  # for more than ten a little too wide
    half = factor * statistics.stdev(scores) / math.sqrt(len(scores))
    return mean - half, mean + half


def recorded_contest(path: Path = RECORDED) -> Contest:
    """Read the file.

    Raises:
        ValueError: if it is not such a file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        entries = tuple(_entry(each) for each in found.pop("entries"))
        spread = {rate: tuple(scores) for rate, scores in found.pop("spread").items()}
        epochs = {int(n): tuple(scores) for n, scores in found.pop("epochs").items()}
        return Contest(entries, spread, epochs, **found)
    except FileNotFoundError as error:
        raise ValueError(f"{path.name} is missing: bench --fine-tuning makes it") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path.name} is no recorded contest: {error!r}") from error


def _entry(found: Mapping[str, Any]) -> Entry:
    return Entry(**{**found, "scores": tuple(found["scores"])})
