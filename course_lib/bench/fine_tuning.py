"""``python -m course_lib bench --fine-tuning``: what pre-training is worth, by number of labels.

Four tasks on stories.  Contestants: the pre-trained encoder with a new head, the same with the
encoder left as it is, the same shape from random weights, and a simple rival.  The first three
make equally many steps, and choose their rate of learning from the same three.
"""

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import torch

from course_lib.data.story_labels import PAIR, SINGLE, STORY_TASKS, story_labels
from course_lib.experiments.fine_tuning import (
    BATCH,
    CHOICE_SEED,
    N_HELD_OUT,
    RATES,
    Tuned,
    fine_tune,
    held_out,
    labels_to_learn,
    settings,
    untrained,
)
from course_lib.experiments.label_contest import FROZEN, FULL, RIVAL, SCRATCH, Entry
from course_lib.experiments.label_rivals import rival_score
from course_lib.models.bert import BertPretraining
from course_lib.models.shipped import load
from course_lib.whole_file import replace_file

SIZES = (100, 1000, 10_000)
ENCODER = "stories-bert"
SPREAD_TASK, SPREAD_LABELS, SPREAD_SEEDS = SINGLE, 100, 10
EPOCH_TASK, EPOCH_LABELS, EPOCHS = PAIR, 1000, (1, 2, 3, 4, 8)


def run(seeds: int, steps: int, out: Path, command: str) -> int:
    """Measure what the file does not hold yet; write it anew after each entry."""
    found = _started(out, _described(seeds, steps, command))
    encoder = load(ENCODER).model
    for entry in _contest(encoder, seeds, steps, found["entries"]):
        found["entries"].append(asdict(entry))
        low, high = entry.interval
        print(f"{entry.task:<7} {entry.contestant:<20} {entry.n_labels:>6} labels: "
              f"{entry.mean:.3f} ({low:.3f} to {high:.3f}), rate {entry.rate}", flush=True)
        _write(out, found)
    for part, rows in (("spread", _spread(encoder, steps)), ("epochs", _epochs(encoder, seeds))):
        if not found[part]:
            found[part] = {key: scores for key, scores in rows}
            print(f"{part}: {found[part]}", flush=True)
            _write(out, found)
    return 0


def _contest(
    encoder: BertPretraining, seeds: int, steps: int, known: list[dict]
) -> Iterator[Entry]:
    """Yield the entries that are not known yet."""
    done = {(e["task"], e["contestant"], e["n_labels"]) for e in known}
    for task in STORY_TASKS:
        for n_labels in SIZES:
            for contestant in (RIVAL, FULL, FROZEN, SCRATCH):
                if (task, contestant, n_labels) not in done:
                    yield _entry(encoder, task, contestant, n_labels, seeds, steps)


def _entry(
    encoder: BertPretraining, task: str, contestant: str, n_labels: int, seeds: int, steps: int
) -> Entry:
    """Let one contestant choose its rate with one seed, and run it with the others."""
    train = labels_to_learn(task, n_labels)
    choice, test = story_labels(task, N_HELD_OUT, CHOICE_SEED), held_out(task)
    if contestant == RIVAL:
        score = rival_score(train, choice, test)
        return Entry(task, contestant, n_labels, None, {}, (round(score, 4),))

    def one(rate: float, seed: int, measured_on) -> Tuned:
        start = untrained(encoder.config, seed) if contestant == SCRATCH else encoder
        config = settings(rate, steps, seed)
        return fine_tune(start, train, measured_on, config, frozen=contestant == FROZEN)

    tried = {rate: one(rate, seeds, choice).score for rate in RATES}  # a seed of its own
    rate = max(tried, key=tried.get)
    scores = tuple(round(one(rate, seed, test).score, 4) for seed in range(seeds))
    return Entry(task, contestant, n_labels, rate,
                 {f"{r:g}": round(score, 4) for r, score in tried.items()}, scores)  # fmt: skip


def _spread(encoder: BertPretraining, steps: int) -> Iterator[tuple[str, list[float]]]:
    """Yield the scores of many seeds at each rate."""
    train, test = labels_to_learn(SPREAD_TASK, SPREAD_LABELS), held_out(SPREAD_TASK)
    for rate in RATES:
        runs = (fine_tune(encoder, train, test, settings(rate, steps, s))
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


def _described(seeds: int, steps: int, command: str) -> dict[str, Any]:
    """Gather what the file says besides its numbers."""
    return {
        "command": command,
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} "
                   f"threads, Python {platform.python_version()}, torch {torch.__version__}",
        "steps": steps,
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


def _write(out: Path, found: dict[str, Any]) -> None:
    replace_file(out, (json.dumps(found, indent=1) + "\n").encode("utf8"), "out")
