"""``python -m course_lib bench --fine-tuning``: what pre-training is worth, by number of labels.

Four tasks on stories.  Contestants: the pre-trained encoder with a new head, the same with the
encoder left as it is, the same shape from random weights, and a simple rival.  The first three
make equally many steps, and choose their rate of learning from the same three: on labels that
nobody is measured on, with a seed of its own, for 1,000 labels; other numbers of labels take it
over.  The frozen encoder runs with 1,000 labels only.  All with 1,000 labels are run first.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course_lib.bench.record import circumstances, write
from course_lib.data.story_labels import SINGLE, STORY_TASKS, StoryLabels, story_labels
from course_lib.experiments.fine_tuning import (
    BATCH,
    CHOICE_SEED,
    N_HELD_OUT,
    RATES,
    SHARES,
    fine_tune,
    held_out,
    labels_to_learn,
    settings,
    untrained,
)
from course_lib.experiments.label_contest import (
    CONTESTANTS,
    FROZEN,
    FULL,
    RIVAL,
    SCRATCH,
    Entry,
)
from course_lib.experiments.label_rivals import rival_score
from course_lib.models.bert import BertPretraining
from course_lib.models.shipped import load

SIZES = (100, 1000, 10000)
CHOICE_LABELS = 1000
ENCODER = "stories-bert"
SPREAD_TASK, SPREAD_LABELS, SPREAD_SEEDS = SINGLE, 100, 10
EPOCH_TASK, EPOCH_LABELS, EPOCHS = SINGLE, 1000, (1, 2, 3, 4, 8, 16)
Cell = tuple[str, str, int]  # task, contestant, number of labels


def run(seeds: int, steps: int, out: Path, command: str) -> int:
    """Measure what the file does not hold yet; write it anew after each entry."""
    found = _started(out, _described(steps, command))
    encoder = load(ENCODER).model
    for entry in _contest(encoder, seeds, steps, found["entries"]):
        found["entries"].append(asdict(entry))
        low, high = entry.interval
        print(f"{entry.task:<7} {entry.contestant:<20} {entry.n_labels:>6} labels: "
              f"{entry.mean:.3f} ({low:.3f} to {high:.3f}), rate {entry.rate}", flush=True)
        write(out, found)
    spread = _spread(encoder, steps, found["entries"])
    for part, rows in (("spread", spread), ("epochs", _epochs(encoder, seeds))):
        if not found[part]:
            found[part] = dict(rows)
            print(f"{part}: {found[part]}", flush=True)
            write(out, found)
    return 0


def _contest(
    encoder: BertPretraining, seeds: int, steps: int, known: list[dict]
) -> Iterator[Entry]:
    """Yield the entries that are not known yet."""
    done = {(e["task"], e["contestant"], e["n_labels"]) for e in known}
    chosen = {(e["task"], e["contestant"]): (e["rate"], e["tried"]) for e in known}
    for task, contestant, n_labels in _cells():
        if (task, contestant, n_labels) in done:
            continue
        if contestant == RIVAL:
            yield _rival(task, n_labels)
            continue
        runner = _Runner(encoder, task, contestant, seeds, steps_of(task, steps))
        if (task, contestant) not in chosen:
            chosen[task, contestant] = runner.choose()
        yield runner.entry(n_labels, *chosen[task, contestant])


def _cells() -> list[Cell]:
    """Return task, contestant and number of labels in the order in which they are run."""
    sizes = sorted(SIZES, key=lambda n: (n != CHOICE_LABELS, n))
    tasks = sorted(STORY_TASKS, key=SHARES.get)
    return [(task, contestant, n) for n in sizes for task in tasks for contestant in CONTESTANTS
            if contestant != FROZEN or n == CHOICE_LABELS]  # fmt: skip


def steps_of(task: str, steps: int) -> int:
    """Return how many steps all contestants make on a task."""
    return max(1, round(SHARES[task] * steps))


def _rival(task: str, n_labels: int) -> Entry:
    """Let the simple rival learn; it has no seed."""
    choice = story_labels(task, N_HELD_OUT, CHOICE_SEED)
    score = rival_score(labels_to_learn(task, n_labels), choice, held_out(task))
    return Entry(task, RIVAL, n_labels, None, {}, (round(score, 4),))


@dataclass(frozen=True)
class _Runner:
    """One contestant that is trained, on one task."""

    encoder: BertPretraining
    task: str
    contestant: str
    seeds: int
    steps: int

    def choose(self) -> tuple[float, dict[str, float]]:
        """Try each rate once, on other labels than are measured on; return the best, and all."""
        choice = story_labels(self.task, N_HELD_OUT, CHOICE_SEED)
        tried = {rate: self._score(CHOICE_LABELS, rate, self.seeds, choice) for rate in RATES}
        return max(tried, key=tried.get), {f"{r:g}": score for r, score in tried.items()}

    def entry(self, n_labels: int, rate: float, tried: dict[str, float]) -> Entry:
        """Run with all seeds."""
        test = held_out(self.task)
        scores = tuple(self._score(n_labels, rate, seed, test) for seed in range(self.seeds))
        return Entry(self.task, self.contestant, n_labels, rate, tried, scores)

    def _score(self, n_labels: int, rate: float, seed: int, measured_on: StoryLabels) -> float:
        scratch = self.contestant == SCRATCH
        start = untrained(self.encoder.config, seed) if scratch else self.encoder
        train, config = labels_to_learn(self.task, n_labels), settings(rate, self.steps, seed)
        frozen = self.contestant == FROZEN
        return round(fine_tune(start, train, measured_on, config, frozen=frozen).score, 4)


def _spread(
    encoder: BertPretraining, steps: int, known: list[dict]
) -> Iterator[tuple[str, list[float]]]:
    """Yield the scores of some seeds at each rate; one of them may have been run already."""
    train, test = labels_to_learn(SPREAD_TASK, SPREAD_LABELS), held_out(SPREAD_TASK)
    cell = (SPREAD_TASK, FULL, SPREAD_LABELS)
    ran = [e for e in known if (e["task"], e["contestant"], e["n_labels"]) == cell]
    for rate in RATES:
        if ran and ran[0]["rate"] == rate and len(ran[0]["scores"]) == SPREAD_SEEDS:
            yield f"{rate:g}", list(ran[0]["scores"])
            continue
        runs = (fine_tune(encoder, train, test, settings(rate, steps_of(SPREAD_TASK, steps), s))
                for s in range(SPREAD_SEEDS))  # fmt: skip
        yield f"{rate:g}", [round(tuned.score, 4) for tuned in runs]


def _epochs(encoder: BertPretraining, seeds: int) -> Iterator[tuple[int, list[float]]]:
    """Yield the scores after so many passes, each a run of its own."""
    train, test = labels_to_learn(EPOCH_TASK, EPOCH_LABELS), held_out(EPOCH_TASK)
    for n_epochs in EPOCHS:
        steps = round(n_epochs * EPOCH_LABELS / BATCH)
        runs = (fine_tune(encoder, train, test, settings(RATES[1], steps, s))
                for s in range(seeds))  # fmt: skip
        yield n_epochs, [round(tuned.score, 4) for tuned in runs]


def _described(steps: int, command: str) -> dict[str, Any]:
    """Gather what the file says besides its numbers."""
    return {
        **circumstances(command),
        "steps": {task: steps_of(task, steps) for task in STORY_TASKS},
        "batch": BATCH,
        "n_held_out": N_HELD_OUT,
        "spread_task": SPREAD_TASK,
        "spread_labels": SPREAD_LABELS,
        "epoch_task": EPOCH_TASK,
        "epoch_labels": EPOCH_LABELS,
        "entries": [],
        "spread": {},
        "epochs": {},
    }  # fmt: skip


def _started(out: Path, described: dict[str, Any]) -> dict[str, Any]:
    """Go on with a file that was made by the same command; else begin anew."""
    if not out.is_file():
        return described
    found = json.loads(out.read_text(encoding="utf8"))
    if any(found.get(key) != described[key] for key in ("command", "steps", "batch", "n_held_out")):
        raise ValueError(f"out must be a new file or one of the same command, got {out.name}")
    return found
