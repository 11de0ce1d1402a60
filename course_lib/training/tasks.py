"""Tasks: what a model is graded on, from the batch it reads to the figures that are reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from course_lib.config import TransformerConfig
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.batches import TrainingText, draw_batch, fixed_batch, require_fits
from course_lib.training.objectives import mean_loss, next_token_loss

Batch = tuple[Tensor, ...]  # or a NamedTuple: what a batch holds is its task's affair


@runtime_checkable
class Task(Protocol):
    """What the training loop asks of a task."""

    def require_fits(self, config: TransformerConfig) -> None:
        """Raise unless a model of this shape can be trained on it."""

    def draw(self, seq_len: int, batch_size: int, generator: torch.Generator) -> Batch:
        """Draw what one update learns from; the same state of the generator draws the same."""

    def fixed(self, seq_len: int, n_rows: int) -> Batch:
        """Pick held-out rows, the same each time."""

    def losses(self, model: nn.Module, batch: Batch) -> Mapping[str, Tensor]:
        """Grade a batch, in nats; an update follows the gradient of the sum of the parts."""

    def measure(self, model: nn.Module, batch: Batch, batch_size: int) -> Mapping[str, float]:
        """Measure without learning: ``loss``, and whatever else tells how good the model is."""


@runtime_checkable
class Shareable(Task, Protocol):
    """A task whose batches several processes can share: its batches hold one row an example."""

    def graded(self, batch: Batch) -> Mapping[str, int]:
        """Count the answers that each part of the losses is the mean of."""


class Around:
    """A task around another: all is the other's, but for what a subclass does in its own way."""

    def __init__(self, task: Task):
        self.task = task

    def require_fits(self, config: TransformerConfig) -> None:
        """Raise unless a model of this shape can be trained on the task."""
        self.task.require_fits(config)

    def draw(self, seq_len: int, batch_size: int, generator: torch.Generator) -> Batch:
        """Draw what one update learns from."""
        return self.task.draw(seq_len, batch_size, generator)

    def fixed(self, seq_len: int, n_rows: int) -> Batch:
        """Pick held-out rows."""
        return self.task.fixed(seq_len, n_rows)

    def losses(self, model: nn.Module, batch: Batch) -> Mapping[str, Tensor]:
        """Grade a batch."""
        return self.task.losses(model, batch)

    def graded(self, batch: Batch) -> Mapping[str, int]:
        """Count the answers that each part of the losses is the mean of."""
        return self.task.graded(batch)

    def measure(self, model: nn.Module, batch: Batch, batch_size: int) -> Mapping[str, float]:
        """Measure without learning."""
        return self.task.measure(model, batch, batch_size)


@dataclass(frozen=True)
class NextToken:
    """GPT's task: name the token that follows, at every position.

    Args:
        train: the text to learn from, one axis of ids, or short texts that are never cut.
        validation: the text to measure on.
    """

    train: TrainingText
    validation: TrainingText

    def require_fits(self, config: TransformerConfig) -> None:
        """Raise unless the model knows every id and is long enough for a whole text."""
        require_fits(config, train_ids=self.train, validation_ids=self.validation)

    def draw(self, seq_len: int, batch_size: int, generator: torch.Generator) -> Batch:
        """Draw windows or whole texts, and the token that follows each of their tokens."""
        return draw_batch(self.train, seq_len, batch_size, generator)

    def fixed(self, seq_len: int, n_rows: int) -> Batch:
        """Pick windows or whole texts spread evenly over the held-out part."""
        return fixed_batch(self.validation, seq_len, n_rows)

    def losses(self, model: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """One part: the mean surprise at the next token."""
        return {"next token": next_token_loss(model, *batch)}

    def graded(self, batch: Batch) -> dict[str, int]:
        """The tokens that are predicted; where a row is filled up, none is."""
        return {"next token": int((batch[1] != IGNORE).sum())}

    def measure(self, model: nn.Module, batch: Batch, batch_size: int) -> dict[str, float]:
        """One figure: the loss."""
        return {"loss": mean_loss(model, *batch, batch_size)}


def on_device(batch: Batch, device: torch.device) -> Batch:
    """Move every tensor of a batch to where the model is."""
    return same_kind(batch, [part.to(device) for part in batch])


def same_kind(batch: Batch, parts: Iterable[Tensor]) -> Batch:
    """Put new tensors into a batch of the same kind: a NamedTuple, or a plain tuple."""
    return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)
