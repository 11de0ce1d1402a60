"""A trained model together with the tokenizer that its ids come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped.tokenizers import Tokenizer, tokens_of
from course_lib.tokenizers.bert_pair import encode_pair
from course_lib.tokenizers.wordpiece import WordPieceTokenizer


@dataclass(frozen=True)
class Shipped:
    """A trained GPT or BERT and what its ids stand for.

    Attributes:
        model: in float32, in evaluation mode.
        tokenizer: has as many ids as the model.
        boundary_id: the id that stands before and behind each text; None where there is none.
    """

    name: str
    model: GPT | BertPretraining
    tokenizer: Tokenizer
    boundary_id: int | None = None

    def __post_init__(self):
        rows = self.model.config.vocab_size
        if self.tokenizer.vocab_size != rows:
            raise ValueError(
                f"tokenizer must have vocab_size = {rows}, as the model has, "
                f"got {self.tokenizer.vocab_size}"
            )

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The text of each id, as it stands in the vocabulary."""
        return tokens_of(self.tokenizer)

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids, without any that stand around it.

        Raises:
            ValueError: if the tokenizer has no ids for it (one of whole words cannot spell).
        """
        return self.tokenizer.encode(text)

    def decode(self, ids: Sequence[int] | Tensor) -> str:
        """Turn ids into text."""
        return self.tokenizer.decode(ids)

    def prompt(self, text: str = "") -> Int64[Tensor, "1 seq"]:
        """Make what the model reads of a text: one row, with the ids that stand around a text.

        For BERT these are ``[CLS]`` and ``[SEP]``, for GPT the boundary before it.
        """
        if isinstance(self.tokenizer, WordPieceTokenizer):
            return torch.tensor([encode_pair(self.tokenizer, text).token_ids])
        before = [] if self.boundary_id is None else [self.boundary_id]
        if not (ids := before + self.encode(text)):
            raise ValueError(f"text must not be empty, for {self.name} knows no boundary")
        return torch.tensor([ids])
