"""An encoder for real sentences: the published one, or else the one that the course has trained."""

from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.models.bert import Bert
from course_lib.models.checkpoints import load_minilm
from course_lib.models.shipped import load
from course_lib.packaged import is_installed
from course_lib.tokenizers.bert_pair import encode_pair
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

_OWN = {"bible-bert": "bible-bert, which the course has trained on one book"}
PUBLISHED = "MiniLM, 6 layers, as published"


@dataclass(frozen=True)
class Encoder:
    """A BERT without its heads, and the tokenizer that its ids come from."""

    name: str
    model: Bert
    tokenizer: WordPieceTokenizer

    @property
    def is_published(self) -> bool:
        """Whether somebody else has made these weights."""
        return self.name == PUBLISHED

    def read(self, text: str, most: int | None = None) -> Int64[Tensor, "1 seq"]:
        """Make what the encoder reads of a text, special tokens included.

        Raises:
            ValueError: if there is no text, or it has more than ``most`` tokens.
        """
        most = self.model.config.max_seq_len if most is None else most
        ids = encode_pair(self.tokenizer, text).token_ids
        if len(ids) < 3:
            raise ValueError("text must hold at least one word, got none")
        if len(ids) > most:
            raise ValueError(f"text must have at most {most - 2} tokens, got {len(ids) - 2}")
        return torch.tensor([ids])

    def tokens(self, token_ids: Int64[Tensor, "1 seq"]) -> tuple[str, ...]:
        """Return the text of each id, as it stands in the vocabulary."""
        return tuple(self.tokenizer.vocabulary.token_of(i) for i in token_ids[0].tolist())


def published_or_own() -> Encoder:
    """Return the published MiniLM where the extra ``pretrained`` is installed, else our own."""
    if is_installed("minilm"):
        return Encoder(PUBLISHED, load_minilm(), WordPieceTokenizer(published_vocabulary()))
    return own_encoder()


def own_encoder(name: str = "bible-bert") -> Encoder:
    """Return a BERT that the course ships, without its heads."""
    shipped = load(name)
    return Encoder(_OWN.get(name, name), shipped.model.bert.eval(), shipped.tokenizer)
