"""The training loop: draw windows, grade, step, and report; one record for each update."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from course_lib.config import TrainConfig
from course_lib.data.byte_ids import N_BYTES, byte_ids, text_of
from course_lib.data.randomness import generator_for, seeded_dropout
from course_lib.optim.clipping import clip_by_global_norm
from course_lib.optim.schedules import warmup_cosine, warmup_linear
from course_lib.training.batches import TrainingText
from course_lib.training.interrupts import HeldInterrupt
from course_lib.training.objectives import device_of, looking
from course_lib.training.state import TrainState
from course_lib.training.tasks import Batch, NextToken, Task, on_device

Sampler = Callable[[nn.Module, torch.Generator], str]


@dataclass(frozen=True)
class StepRecord:
    """What happened in one update.

    Units:
        losses in nats, for a GPT per token; ``seconds`` is this step's own time, looks included.
    """

    step: int  # 1 for the first update
    total_steps: int
    train_loss: float  # on this step's batch, before its update
    validation_loss: float | None  # after the update; None when this step did not look
    lr: float
    grad_norm: float  # before clipping
    seconds: float
    sample: str | None = None  # generated text, when this step drew some
    parts: Mapping[str, float] = field(default_factory=dict)  # what train_loss is the sum of
    measured: Mapping[str, float] = field(default_factory=dict)  # all figures of a look


def train(
    state: TrainState,
    train_ids: TrainingText,
    validation_ids: TrainingText,
    *,
    sampler: Sampler | None = None,
) -> Iterator[StepRecord]:
    """Train a GPT to name the next token: :func:`train_on` that task.

    Args:
        state: model, optimiser, step and settings; windows are as long as the model can read.
        train_ids: the text to learn from, one axis of ids, or short texts that are never cut
            (``data.whole_texts``).
        validation_ids: the text to measure on.
        sampler: writes text.  Left out, a model over bytes continues an empty line, any other
            writes nothing.
    """
    if sampler is None and state.model.config.vocab_size == N_BYTES:
        sampler = byte_sampler()
    return train_on(state, NextToken(train_ids, validation_ids), sampler=sampler)


def train_on(
    state: TrainState, task: Task, *, sampler: Sampler | None = None
) -> Iterator[StepRecord]:
    """Train until ``state.config.total_steps``, handing out a record after each update.

    The state changes in place and is complete whenever a record is out: stop taking records,
    interrupt, or save, and a later call goes on exactly where this one stopped.  What a step
    draws follows from the seed and the step's number alone.  An interrupt waits for the end of
    its step; its record still comes, then the KeyboardInterrupt.

    Args:
        state: model, optimiser, step and settings.
        task: what the model is graded on; the same held-out rows are always measured, after
            the first update, every ``eval_every`` updates, and at the end.
        sampler: writes text every ``sample_every`` updates and at the end.

    Raises:
        TypeError, ValueError: if a text does not fit the model or the schedule is impossible
            (before the first update); if a loss or gradient norm is NaN or infinite (before the
            update it would have spoilt; step and weights are those of the step before).  A rate
            so high that an update itself overflows shows at the next step's loss.
    """
    task.require_fits(state.model.config)
    learning_rate(0, state.config)
    if sampler is not None and not callable(sampler):
        raise TypeError(f"sampler must be a function, got {sampler!r}")
    return _records(state, task, sampler)


def learning_rate(step: int, config: TrainConfig) -> float:
    """Return the rate of update ``step``; the first is 1, so none is made with a rate of 0."""
    curve = warmup_linear if config.decay == "linear" else warmup_cosine
    return curve(
        step,
        peak=config.lr,
        floor=config.min_lr,
        warmup_steps=config.warmup_steps,
        total_steps=config.total_steps,
    )


def byte_sampler(prompt: str = "\n", n_new: int = 120, temperature: float = 0.8) -> Sampler:
    """Make a sampler that lets a model over bytes go on from a prompt."""

    def write(model: nn.Module, generator: torch.Generator) -> str:
        ids = byte_ids(prompt).long().unsqueeze(0).to(device_of(model))
        with looking(model):
            ids = model.generate(ids, n_new, temperature=temperature, generator=generator)
        return text_of(ids)

    return write


def _records(state: TrainState, task: Task, sampler: Sampler | None) -> Iterator[StepRecord]:
    """Yield a record a step; the arguments have been checked."""
    config, seq_len = state.config, state.model.config.max_seq_len
    held_out = task.fixed(seq_len, config.eval_batches * config.batch_size)
    while state.step < config.total_steps:
        with HeldInterrupt() as held:
            start = time.perf_counter()
            step, lr = state.step + 1, learning_rate(state.step + 1, config)
            draws = generator_for(config.seed, step, "windows")
            batch = task.draw(seq_len, config.batch_size, draws)
            parts, grad_norm = update(state, task, batch, lr)
            measured, sample = _look(state, task, held_out, sampler)
            seconds = time.perf_counter() - start
        interrupt = held.deliver()
        yield StepRecord(
            step, config.total_steps, math.fsum(parts.values()), measured.get("loss"), lr,
            grad_norm, seconds, sample, parts, measured,
        )  # fmt: skip
        if interrupt is not None:
            raise interrupt


def update(
    state: TrainState, task: Task, batch: Batch, lr: float
) -> tuple[dict[str, float], float]:
    """Make one update and count it; return the parts of the loss and the gradient's norm.

    Raises:
        ValueError: if the loss or the norm is not finite; then nothing was updated.
    """
    model, optimizer, config = state.model, state.optimizer, state.config
    step, device = state.step + 1, device_of(model)
    model.train()
    optimizer.zero_grad()
    with seeded_dropout(config.seed, step, device), torch.enable_grad():
        losses = task.losses(model, on_device(batch, device))
        loss = sum(losses.values())
        where = f"at step {step} (loss {loss.item()}, lr {lr}); the update was not made"
        if not math.isfinite(loss.item()):
            raise ValueError(f"loss must be finite, got {loss.item()} {where}")
        loss.backward()
    try:
        grad_norm = clip_by_global_norm(model.parameters(), config.max_grad_norm)
    except ValueError as error:
        raise ValueError(f"{error} {where}") from error
    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.step()
    state.step = step
    return {name: part.item() for name, part in losses.items()}, grad_norm


def _look(
    state: TrainState, task: Task, held_out: Batch, sampler: Sampler | None
) -> tuple[dict[str, float], str | None]:
    """Measure on held-out rows and write a sample, if it is this step's turn."""
    step, config, device = state.step, state.config, device_of(state.model)
    last, measured, sample = step == config.total_steps, {}, None
    if last or step == 1 or step % config.eval_every == 0:
        measured = dict(task.measure(state.model, on_device(held_out, device), config.batch_size))
    if sampler and config.sample_every and (last or step % config.sample_every == 0):
        sample = sampler(state.model, generator_for(config.seed, step, "sample", device))
    return measured, sample
