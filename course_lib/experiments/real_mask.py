"""What a shipped BERT puts into the first gap of any text (lesson 62)."""

from dataclasses import dataclass

import torch

from course_lib.models.shipped import Shipped
from course_lib.tokenizers.bert_pair import encode_pair
from course_lib.tokenizers.vocabulary import MASK
from course_lib.training.objectives import looking


@dataclass(frozen=True)
class RealMask:
    """A text in pieces, and the likeliest pieces for each of its gaps, best first.

    Attributes:
        pieces: with special tokens.
        gaps: for each ``[MASK]`` its place in ``pieces``.
        answers: for each gap the five likeliest pieces and their probabilities.
    """

    pieces: tuple[str, ...]
    gaps: tuple[int, ...]
    answers: tuple[tuple[tuple[str, float], ...], ...]


def real_mask(shipped: Shipped, text: str, n: int = 5) -> RealMask:
    """Fill the gaps of a text, each on its own.

    Raises:
        ValueError: if the text has no ``[MASK]``, or is longer than the model can read.
    """
    tokenizer, model = shipped.tokenizer, shipped.model
    encoded = encode_pair(tokenizer, text)
    longest = model.config.max_seq_len
    if len(encoded) > longest:
        raise ValueError(f"text must have at most {longest - 2} pieces, got {len(encoded) - 2}")
    tokens = tokenizer.vocabulary.tokens
    pieces = tuple(tokens[i] for i in encoded.token_ids)
    gaps = tuple(i for i, piece in enumerate(pieces) if piece == MASK)
    if not gaps:
        raise ValueError(f"text must hold {MASK} where something is to be filled in, got none")
    with looking(model):
        x = model.bert(torch.tensor([encoded.token_ids]))
        probs, ids = model.mlm_head(x[0, list(gaps)]).softmax(dim=-1).topk(n)
    answers = tuple(
        tuple((tokens[i], p) for i, p in zip(*row, strict=True))
        for row in zip(ids.tolist(), probs.tolist(), strict=True)
    )
    return RealMask(pieces, gaps, answers)
