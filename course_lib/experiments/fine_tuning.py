"""Fine-tuning a BERT of stories on labels: one encoder, four heads (lesson 63)."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from course_lib.config import BertConfig, TrainConfig
from course_lib.data.randomness import seed_for
from course_lib.data.stories.claims import LABELS
from course_lib.data.story_labels import (
    ANSWER,
    JUDGED,
    NAMES,
    PAIR,
    SINGLE,
    STORY_TASKS,
    TAG_NAMES,
    StoryLabels,
    story_labels,
)
from course_lib.models.bert import BertPretraining
from course_lib.models.fine_tuned import FineTuned, Head
from course_lib.models.heads import SentenceHead, SpanHead, TagHead
from course_lib.training.fine_tuning import Answering, Classifying, FineTuning, Tagging
from course_lib.training.loop import StepRecord, train_on
from course_lib.training.state import TrainState

KINDS: Mapping[str, type[FineTuning]] = {
    PAIR: Classifying, SINGLE: Classifying, ANSWER: Answering, NAMES: Tagging,
}  # fmt: skip
STEPS, BATCH = 800, 16
SHARES = {PAIR: 1.0, SINGLE: 0.75, ANSWER: 0.5, NAMES: 0.125}  # of the steps; easier tasks, fewer
RATES = (3e-4, 1e-3, 3e-3)
LABELS_SEED, HELD_OUT_SEED, CHOICE_SEED = 6301, 6302, 6303  # stories to learn, measure, choose on
N_HELD_OUT = 300


@dataclass(frozen=True)
class Tuned:
    """A fine-tuned model, what became of each step, and its figures on the held-out texts."""

    model: FineTuned
    records: tuple[StepRecord, ...]
    measured: Mapping[str, float]
    score: float  # the figure that tells how good it is: a share of right answers


def head_for(task: str, d_model: int) -> Head:
    """Make the head that a task asks for."""
    if task == ANSWER:
        return SpanHead(d_model)
    if task == NAMES:
        return TagHead(d_model, len(TAG_NAMES))
    return SentenceHead(d_model, len(LABELS if task == PAIR else JUDGED))


def with_head(encoder: BertPretraining, task: str, seed: int = 0) -> FineTuned:
    """Put a new head on a copy of an encoder; its weights follow from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(seed, 0, f"head {task}"))
        return FineTuned(encoder, head_for(task, encoder.config.d_model)).eval()


def new_heads(encoder: BertPretraining) -> dict[str, FineTuned]:
    """Put all four heads on an encoder; none of them has learnt anything yet."""
    return {task: with_head(encoder, task) for task in STORY_TASKS}


def untrained(config: BertConfig, seed: int = 0) -> BertPretraining:
    """Make an encoder of the same shape that has not learnt anything: the rival from scratch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(seed, 0, "from scratch"))
        return BertPretraining(config).eval()


def labels_to_learn(task: str, n_labels: int) -> StoryLabels:
    """Give so many labels to learn from; the few are among the many."""
    return story_labels(task, n_labels, LABELS_SEED)


def held_out(task: str, n_labels: int = N_HELD_OUT) -> StoryLabels:
    """Give labels to measure on, of other stories."""
    return story_labels(task, n_labels, HELD_OUT_SEED)


def task_of(train: StoryLabels, measured_on: StoryLabels) -> FineTuning:
    """Make the training task of a head."""
    if train.task != measured_on.task:
        raise ValueError(
            f"measured_on must be of the task {train.task!r}, got {measured_on.task!r}"
        )
    return KINDS[train.task](train.texts, measured_on.texts)


def settings(rate: float, steps: int = STEPS, seed: int = 0, batch: int = BATCH) -> TrainConfig:
    """Say how a head is fine-tuned: the rate rises for a tenth of the steps, then falls to 0.

    Source:
        Devlin et al. 2019, appendix A.3: all as in pre-training but batch size, rate and epochs;
        there the rate warms up and falls in a line.
    """
    warmup = min(max(1, steps // 10), steps - 1)
    return TrainConfig(
        steps, batch_size=batch, lr=rate, min_lr=0.0, warmup_steps=warmup,
        betas=(0.9, 0.999), weight_decay=0.01, seed=seed, eval_every=steps, eval_batches=1,
        sample_every=0, decay="linear",
    )  # fmt: skip


def begin(
    encoder: BertPretraining, task: str, config: TrainConfig, frozen: bool = False
) -> TrainState:
    """Set a fine-tuning up.

    Args:
        frozen: leave the encoder as it is, and let the head alone learn.
    """
    model = with_head(encoder, task, config.seed)
    model.encoder.requires_grad_(not frozen)
    return TrainState.fresh(model, config)


def fine_tune(
    encoder: BertPretraining, train: StoryLabels, measured_on: StoryLabels, config: TrainConfig,
    frozen: bool = False,
) -> Tuned:  # fmt: skip
    """Fine-tune a copy of an encoder with a new head, and measure it at the end."""
    task, state = task_of(train, measured_on), begin(encoder, train.task, config, frozen)
    records = tuple(train_on(state, task))
    measured = measure(state.model, measured_on)
    return Tuned(state.model.eval(), records, measured, measured[task.score])


def measure(model: FineTuned, labels: StoryLabels) -> dict[str, float]:
    """Measure a fine-tuned model on labels."""
    task = task_of(labels, labels)
    return task.measure(model, labels.texts.spread(len(labels.texts)), 50)
