"""``python -m course_lib bench --topics``: Wikipedia's topics, with a published encoder.

A layer on frozen features of MiniLM, a bag of words, and, if ``--seeds`` says how often, the whole
encoder fine-tuned.  Needs the extras "text" and "pretrained".
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_lib.bench.record import circumstances, write
from course_lib.config import TrainConfig
from course_lib.data.labelled_texts import LabelledTexts
from course_lib.data.randomness import seed_for
from course_lib.data.wiki_topics import Topics, wiki_topics
from course_lib.experiments.topic_features import (
    MEAN,
    POOLS,
    bags,
    common_pieces,
    features,
    layer_right,
)
from course_lib.models.bert import Bert
from course_lib.models.fine_tuned import FineTuned
from course_lib.models.heads import SentenceHead
from course_lib.training.fine_tuning import Classifying
from course_lib.training.loop import train_on
from course_lib.training.state import TrainState

RATES = (2e-5, 5e-5, 1e-4)
FEW = (100, 1000)  # labels, besides all
EPOCHS, BATCH, DROPOUT = 3, 32, 0.1


def run(seeds: int | None, out: Path, command: str) -> int:
    """Measure the frozen features, then the full runs; write the file after each.

    Args:
        seeds: of the full runs, seven minutes each on one core, and three more to choose the
            rate; None leaves them out.
    """
    from course_lib.models.checkpoints import load_minilm

    topics = wiki_topics()
    found = _described(topics, command)
    encoder = load_minilm()
    for name, value in _frozen(encoder, topics):
        found |= {name: value}
        print(f"{name}: {value}", flush=True)
    write(out, found)
    if seeds is None:
        return 0
    found["full_how"] = f"{EPOCHS} epochs, batches of {BATCH}, AdamW"
    for rate in RATES:
        tuned = _fine_tuned(encoder, topics, rate, seeds)  # a seed of its own
        found["tried"][f"{rate:g}"] = _accuracy(tuned, topics.choice)
        print(f"full, rate {rate:g}: {found['tried'][f'{rate:g}']} on the choice", flush=True)
        write(out, found)
    best = max(RATES, key=lambda rate: found["tried"][f"{rate:g}"])
    for seed in range(seeds):
        found["full"].append(_accuracy(_fine_tuned(encoder, topics, best, seed), topics.test))
        print(f"full, seed {seed}: {found['full'][-1]}", flush=True)
        write(out, found)
    return 0


def _frozen(encoder: Bert, topics: Topics) -> Iterator[tuple[str, Any]]:
    """Yield what needs no training of the encoder; every sentence is read once."""
    parts, n = (topics.train, topics.choice, topics.test), len(topics.names)
    labels = [part.rows.labels for part in parts]
    counts = labels[0].bincount(minlength=n)
    yield "commonest", round((labels[2] == counts.argmax()).double().mean().item(), 4)
    read = [features(encoder, part) for part in parts]

    def right(pool: str, n_train: int) -> Tensor:
        given = [x[pool] for x in read]
        learnt = (given[0][:n_train], labels[0][:n_train])
        return layer_right(learnt, *zip(given[1:], labels[1:], strict=True), n)

    frozen = {pool: right(pool, len(topics.train)) for pool in POOLS}
    yield "frozen", {pool: _share(found) for pool, found in frozen.items()}
    bag = _bag_right(topics, len(topics.train))
    yield "bag", _share(bag)
    yield "only_frozen", int((frozen[MEAN] & ~bag).sum())
    yield "only_bag", int((bag & ~frozen[MEAN]).sum())
    yield "by_labels", {
        k: {"frozen": _share(right(MEAN, k)), "bag": _share(_bag_right(topics, k))} for k in FEW
    } | {len(topics.train): {"frozen": _share(frozen[MEAN]), "bag": _share(bag)}}


def _bag_right(topics: Topics, n_train: int) -> Tensor:
    """Say of each test sentence whether a bag of words names its topic."""
    few = topics.train.first(n_train)
    pieces = common_pieces(few)
    parts = [(bags(part, pieces), part.rows.labels) for part in (few, topics.choice, topics.test)]
    return layer_right(*parts, len(topics.names))


def _share(right: Tensor) -> float:
    return round(right.double().mean().item(), 4)


def _fine_tuned(encoder: Bert, topics: Topics, rate: float, seed: int) -> FineTuned:
    """Train encoder and head together."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(seed, 0, "topics"))
        head = SentenceHead(encoder.config.d_model, len(topics.names), DROPOUT)
        model = FineTuned(encoder, head)
    steps = EPOCHS * len(topics.train) // BATCH
    config = TrainConfig(
        steps, batch_size=BATCH, lr=rate, min_lr=0.0, warmup_steps=steps // 10,
        betas=(0.9, 0.999), weight_decay=0.01, seed=seed, eval_every=steps, eval_batches=1,
        sample_every=0, decay="linear",
    )  # fmt: skip
    for _ in train_on(TrainState.fresh(model, config), Classifying(topics.train, topics.choice)):
        pass
    return model


def _accuracy(model: FineTuned, texts: LabelledTexts) -> float:
    rows = texts.spread(len(texts))
    return round(Classifying(texts, texts).measure(model, rows, 50)["accuracy"], 4)


def _described(topics: Topics, command: str) -> dict[str, Any]:
    """Gather what the file says besides its numbers."""
    return {
        **circumstances(command),
        "names": topics.names,
        "n_train": len(topics.train),
        "n_choice": len(topics.choice),
        "n_test": len(topics.test),
        "full": [],
        "full_how": "",
        "tried": {},
    }  # fmt: skip
