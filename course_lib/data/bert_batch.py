"""Several inputs of BERT in one tensor: padding, and the mask that tells it from text."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.tokenizers.bert_pair import EncodedPair


class BertBatch(NamedTuple):
    """What a BERT takes, in the order in which it takes it: ``model(*batch)``."""

    token_ids: Int64[Tensor, "batch seq"]
    real: Bool[Tensor, "batch seq"]
    segment_ids: Int64[Tensor, "batch seq"]


def bert_batch(
    inputs: Sequence[EncodedPair], pad_id: int, seq_len: int | None = None
) -> BertBatch:
    """Put inputs of unequal length one under the other, with padding on the right.

    Args:
        inputs: at least one.
        pad_id: the id of ``[PAD]``.
        seq_len: positions of each row; left out, as many as the longest input has.

    Raises:
        ValueError: if there is no input, or one is longer than ``seq_len``.

    Agrees with: ``BertTokenizer`` of Hugging Face transformers with ``padding``; its attention
        mask holds 1 where ``real`` is True.  Padding has segment 0.
    """
    if not inputs:
        raise ValueError("inputs must hold at least one input, got none")
    require_whole(0, pad_id=pad_id)
    longest = max(len(each) for each in inputs)
    seq_len = longest if seq_len is None else seq_len
    require_whole(1, seq_len=seq_len)
    if longest > seq_len:
        raise ValueError(
            f"seq_len must be >= {longest}, the longest input, got {seq_len}; encode_pair shortens"
        )
    shape = (len(inputs), seq_len)
    token_ids = torch.full(shape, pad_id, dtype=torch.int64)
    segment_ids = torch.zeros(shape, dtype=torch.int64)
    real = torch.zeros(shape, dtype=torch.bool)
    for row, each in enumerate(inputs):
        token_ids[row, : len(each)] = torch.tensor(each.token_ids)
        segment_ids[row, : len(each)] = torch.tensor(each.segment_ids)
        real[row, : len(each)] = True
    return BertBatch(token_ids, real, segment_ids)
