"""Pairs of texts as BERT reads them, one pair a row, with the answer to: does B follow A?"""

from collections.abc import Sequence

import torch

from course_lib.data.bert_batch import bert_batch
from course_lib.data.labelled_texts import LabelledRows, LabelledTexts
from course_lib.tokenizers.bert_pair import EncodedPair

FOLLOWS, STRANGER = 0, 1  # BERT's own numbering of the answers


class PairRows(LabelledRows):
    """Some pairs, and one label for each, `FOLLOWS` (0) or `STRANGER` (1)."""


class PairedTexts(LabelledTexts):
    """Pairs ``[CLS] A [SEP] B [SEP]``, whose rows are ``PairRows``."""


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
