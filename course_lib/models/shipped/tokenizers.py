"""Tokenizers as text inside a model's file, so that ids never part from what they stand for."""

import json

from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.vocabulary import Vocabulary
from course_lib.tokenizers.wordpiece import WordPieceTokenizer
from course_lib.tokenizers.words import WordTokenizer

Tokenizer = WordTokenizer | BPETokenizer | WordPieceTokenizer


def described(tokenizer: Tokenizer) -> dict[str, str]:
    """Return a tokenizer's kind and content, both as text."""
    if isinstance(tokenizer, WordTokenizer):
        return {"tokenizer": "words", "vocabulary": json.dumps(tokenizer.words)}
    if isinstance(tokenizer, BPETokenizer):
        return {"tokenizer": "bpe", "vocabulary": tokenizer.to_json()}
    if isinstance(tokenizer, WordPieceTokenizer):
        content = {
            "tokens": tokenizer.vocabulary.tokens,
            "lower_case": tokenizer.lower_case,
            "max_chars": tokenizer.max_chars,
        }
        return {"tokenizer": "wordpiece", "vocabulary": json.dumps(content)}
    raise TypeError(
        f"tokenizer must be of words, BPE or WordPiece, got {type(tokenizer).__name__}"
    )


def restored(notes: dict[str, str]) -> Tokenizer:
    """Make the tokenizer again that :func:`described` was given.

    Raises:
        ValueError, KeyError, TypeError: if the notes do not describe one.
    """
    kind, text = notes["tokenizer"], notes["vocabulary"]
    if kind == "words":
        return WordTokenizer(json.loads(text))
    if kind == "bpe":
        return BPETokenizer.from_json(text.encode("utf8"), "vocabulary")
    if kind == "wordpiece":
        content = json.loads(text)
        vocabulary = Vocabulary(content.pop("tokens"))
        return WordPieceTokenizer(vocabulary, **content)
    raise ValueError(f"tokenizer must be words, bpe or wordpiece, got {kind!r}")


def tokens_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the text of each id, as it stands in the vocabulary."""
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer.words
    if isinstance(tokenizer, WordPieceTokenizer):
        return tokenizer.vocabulary.tokens
    return tuple(tokenizer.decode([i]) for i in range(tokenizer.vocab_size))
