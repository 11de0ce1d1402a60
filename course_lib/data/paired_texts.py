"""Pairs of texts as BERT reads them, one pair a row, with the answer to: does B follow A?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.bert_batch import bert_batch
from course_lib.tokenizers.bert_pair import EncodedPair

FOLLOWS, STRANGER = 0, 1  # BERT's own numbering of the answers
_NEIGHBOURS = 16  # batches' worth of pairs of about one length, out of which a batch is drawn


class PairRows(NamedTuple):
    """Some pairs: what a BERT takes, in its order, and the label of each."""

    token_ids: Int64[Tensor, "pair seq"]
    real: Bool[Tensor, "pair seq"]
    segment_ids: Int64[Tensor, "pair seq"]
    labels: Int64[Tensor, " pair"]


@dataclass(frozen=True)
class PairedTexts:
    """Pairs ``[CLS] A [SEP] B [SEP]`` of unequal length, filled up with padding on the right.

    Attributes:
        rows: all pairs and their labels, `FOLLOWS` (0) or `STRANGER` (1).
    """

    rows: PairRows

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.rows.labels)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, padding left out."""
        return int(self.lengths.sum())

    @cached_property
    def lengths(self) -> Int64[Tensor, " pair"]:
        """The number of tokens of each pair."""
        return self.rows.real.sum(dim=-1)

    @cached_property
    def _by_length(self) -> Int64[Tensor, " pair"]:
        """The pairs from the shortest to the longest."""
        return self.lengths.argsort(stable=True)

    def draw(self, batch_size: int, generator: torch.Generator) -> PairRows:
        """Draw pairs of about one length, so that little of a batch is padding.

        A place in the order of lengths is drawn, each equally likely, and then the batch, no
        pair twice, out of the pairs behind it; behind the longest come the shortest.
        """
        require_whole(1, batch_size=batch_size)
        n_near = min(len(self), _NEIGHBOURS * batch_size)
        start = int(torch.randint(len(self), (), generator=generator))
        near = torch.randperm(n_near, generator=generator)[:batch_size]
        return self.pick(self._by_length[(start + near) % len(self)])

    def spread(self, n_pairs: int) -> PairRows:
        """Pick pairs evenly over all of them, the same each time; fewer if there are fewer."""
        require_whole(1, n_pairs=n_pairs)
        n_pairs = min(n_pairs, len(self))
        return self.pick(torch.arange(n_pairs) * len(self) // n_pairs)

    def pick(self, chosen: Int64[Tensor, " n"]) -> PairRows:
        """Some of the pairs, without the part of the rows that none of them needs."""
        longest = int(self.lengths[chosen].max())
        *texts, labels = self.rows
        return PairRows(*(part[chosen, :longest] for part in texts), labels[chosen])


def paired_texts(inputs: Sequence[EncodedPair], labels: Sequence[int], pad_id: int) -> PairedTexts:
    """Put encoded pairs into rows.

    Raises:
        ValueError: if there is none, the labels are not one for each, or one is not 0 or 1.
    """
    if len(labels) != len(inputs):
        raise ValueError(f"labels must be {len(inputs)}, one for each input, got {len(labels)}")
    for i, label in enumerate(labels):
        if label not in (FOLLOWS, STRANGER):
            raise ValueError(f"labels[{i}] must be {FOLLOWS} or {STRANGER}, got {label!r}")
    return PairedTexts(PairRows(*bert_batch(inputs, pad_id), torch.tensor(list(labels))))
