"""Texts as BERT reads them, one a row, with what there is to say about each: its labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.bert_batch import bert_batch
from course_lib.tokenizers.bert_pair import EncodedPair

_NEIGHBOURS = 16  # batches' worth of texts of about one length, out of which a batch is drawn


class LabelledRows(NamedTuple):
    """Some texts: what a BERT takes, in its order, and the labels of each.

    The labels are one number a text, or first and last position of a span, or one a token.
    """

    token_ids: Int64[Tensor, "text seq"]
    real: Bool[Tensor, "text seq"]
    segment_ids: Int64[Tensor, "text seq"]
    labels: Int64[Tensor, "text *answers"]


@dataclass(frozen=True)
class LabelledTexts:
    """Texts of unequal length, filled up with padding on the right, and their labels."""

    rows: LabelledRows

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.rows.labels)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, padding left out."""
        return int(self.lengths.sum())

    @cached_property
    def lengths(self) -> Int64[Tensor, " text"]:
        """The number of tokens of each text."""
        return self.rows.real.sum(dim=-1)

    @cached_property
    def _by_length(self) -> Int64[Tensor, " text"]:
        """The texts from the shortest to the longest."""
        return self.lengths.argsort(stable=True)

    def draw(self, batch_size: int, generator: torch.Generator) -> LabelledRows:
        """Draw texts of about one length, so that little of a batch is padding.

        A place in the order of lengths is drawn, each equally likely, and then the batch, no
        text twice, out of the texts behind it; behind the longest come the shortest.
        """
        require_whole(1, batch_size=batch_size)
        n_near = min(len(self), _NEIGHBOURS * batch_size)
        start = int(torch.randint(len(self), (), generator=generator))
        near = torch.randperm(n_near, generator=generator)[:batch_size]
        return self.pick(self._by_length[(start + near) % len(self)])

    def spread(self, n_texts: int) -> LabelledRows:
        """Pick texts evenly over all of them, the same each time; fewer if there are fewer."""
        require_whole(1, n_texts=n_texts)
        n_texts = min(n_texts, len(self))
        return self.pick(torch.arange(n_texts) * len(self) // n_texts)

    def pick(self, chosen: Int64[Tensor, " n"]) -> LabelledRows:
        """Some of the texts, without the part of the rows that none of them needs."""
        longest = int(self.lengths[chosen].max())
        *texts, labels = self.rows
        one_a_token = labels.shape == self.rows.token_ids.shape
        labels = labels[chosen, :longest] if one_a_token else labels[chosen]
        return type(self.rows)(*(part[chosen, :longest] for part in texts), labels)

    def first(self, n_texts: int) -> "LabelledTexts":
        """Only the first texts of all, so that the few are among the many."""
        require_whole(1, n_texts=n_texts)
        if n_texts > len(self):
            raise ValueError(f"n_texts must be <= {len(self)}, as many as there are, got {n_texts}")
        return replace(self, rows=self.pick(torch.arange(n_texts)))


def labelled_texts(
    inputs: Sequence[EncodedPair], labels: Int64[Tensor, "text *answers"], pad_id: int
) -> LabelledTexts:
    """Put encoded texts into rows.

    Args:
        labels: one row for each input; where there is one label a token, as many as the longest
            input has, and ``mechanisms.losses.IGNORE`` where nothing is graded.

    Raises:
        ValueError: if there is no input, or the labels are not one row for each.
    """
    if len(labels) != len(inputs):
        raise ValueError(f"labels must be {len(inputs)}, one for each input, got {len(labels)}")
    return LabelledTexts(LabelledRows(*bert_batch(inputs, pad_id), labels))
