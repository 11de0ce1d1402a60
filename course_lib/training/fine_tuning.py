"""Fine-tuning: the tasks of BERT's heads, one answer a text, a span of it, or a tag a token."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from course_lib.config import BertConfig, TransformerConfig, require_config
from course_lib.data.labelled_texts import LabelledRows, LabelledTexts
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.models.fine_tuned import best_span, span_loss
from course_lib.models.heads import SpanLogits
from course_lib.training.batches import require_texts_fit
from course_lib.training.objectives import device_of, looking


@dataclass(frozen=True)
class FineTuning:
    """What all of them share; a task says how its head is graded.

    Args:
        train: the texts to learn from.
        validation: the texts to measure on.
    """

    train: LabelledTexts
    validation: LabelledTexts
    part: ClassVar[str]  # what its loss is called
    score: ClassVar[str]  # and the figure that tells how good the model is

    def require_fits(self, config: TransformerConfig) -> None:
        """Raise unless the model is a BERT that knows every id and reads the longest text."""
        require_config(BertConfig, config)
        require_texts_fit(config, train=self.train, validation=self.validation)

    def draw(self, seq_len: int, batch_size: int, generator: torch.Generator) -> LabelledRows:
        """Draw texts of about one length."""
        return self.train.draw(batch_size, generator)

    def fixed(self, seq_len: int, n_rows: int) -> LabelledRows:
        """Pick texts spread evenly over the held-out ones."""
        return self.validation.spread(n_rows)

    def losses(self, model: nn.Module, batch: LabelledRows) -> dict[str, Tensor]:
        """One part: the mean surprise at the labels."""
        return {self.part: self.loss(model(*batch[:3]), batch.labels)}

    def graded(self, batch: LabelledRows) -> dict[str, int]:
        """The answers that the loss is the mean of."""
        return {self.part: self.n_graded(batch.labels)}

    def measure(self, model: nn.Module, batch: LabelledRows, batch_size: int) -> dict[str, float]:
        """Measure the loss and the shares of right answers."""
        total, n_graded, hits = 0.0, 0, {}
        for rows, logits in answers(model, batch, batch_size):
            n = self.n_graded(rows.labels)
            total, n_graded = total + n * self.loss(logits, rows.labels).item(), n_graded + n
            for name, right in self.right(logits, rows).items():
                hits.setdefault(name, []).append(right)
        shares = {name: torch.cat(parts).double() for name, parts in hits.items()}
        means = {name: part.mean().item() for name, part in shares.items() if len(part)}
        return {"loss": total / n_graded, **means}

    def loss(self, logits: Any, labels: Tensor) -> Tensor:
        """Grade what the head says: the mean surprise over all that is graded, in nats."""
        raise NotImplementedError

    def right(self, logits: Any, rows: LabelledRows) -> Mapping[str, Bool[Tensor, " graded"]]:
        """Say of each answer whether it is right."""
        raise NotImplementedError

    def n_graded(self, labels: Tensor) -> int:
        """Count what the loss is a mean over."""
        return len(labels)


class Classifying(FineTuning):
    """One answer for each text, of two sentences or one."""

    part = "class"
    score = "accuracy"

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The mean surprise at the right answers."""
        return cross_entropy(logits, labels)

    def right(self, logits: Tensor, rows: LabelledRows) -> dict[str, Tensor]:
        """Whether the likeliest answer is the right one."""
        return {self.score: logits.argmax(-1) == rows.labels}


class Answering(FineTuning):
    """A span of the second text answers the question in the first one."""

    part = "span"
    score = "exact match"

    def loss(self, logits: SpanLogits, labels: Tensor) -> Tensor:
        """The mean surprise at the first and at the last position."""
        return span_loss(logits, *labels.unbind(-1))

    def right(self, logits: SpanLogits, rows: LabelledRows) -> dict[str, Tensor]:
        """Whether the best span of the second text is the right one, first and last token."""
        spans = best_span(logits, rows.real & (rows.segment_ids == 1))
        return {self.score: (spans == rows.labels).all(-1)}


class Tagging(FineTuning):
    """A tag for each token; tag 0 is "none of these"."""

    part = "tags"
    score = "tag accuracy"

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The mean surprise at the tags of all tokens that have one."""
        return cross_entropy(logits, labels)

    def right(self, logits: Tensor, rows: LabelledRows) -> dict[str, Tensor]:
        """Whether the likeliest tag is right: where the right one is not 0, and everywhere.

        Most words of a text are nothing that a tag names.  Who tags them all with 0 is mostly
        right, and has found nothing; so the score is taken over the others.
        """
        right = logits.argmax(-1) == rows.labels
        graded, named = rows.labels != IGNORE, rows.labels > 0
        return {self.score: right[named], "all words": right[graded]}

    def n_graded(self, labels: Tensor) -> int:
        """Count the tokens that have a tag."""
        return int((labels != IGNORE).sum())


def answers(
    model: nn.Module, batch: LabelledRows, batch_size: int
) -> Iterator[tuple[LabelledRows, Any]]:
    """Yield some texts at a time and what a model's head says of them, without learning."""
    device = device_of(model)
    with looking(model):
        for few in zip(*(part.split(batch_size) for part in batch), strict=True):
            rows = LabelledRows(*(part.to(device) for part in few))
            yield rows, model(*rows[:3])
