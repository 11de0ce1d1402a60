"""The tokenizer: a vocabulary, merges in their order, special tokens and a split pattern."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from jaxtyping import Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.tokenizers.bpe.checked import (
    listed_ids,
    require_vocabulary,
    special_ids,
    special_texts,
)
from course_lib.tokenizers.bpe.encode import LONG, encode_long_word, encode_word
from course_lib.tokenizers.bpe.files import from_json, to_json
from course_lib.tokenizers.bpe.ties import require_tie_rule
from course_lib.tokenizers.bpe.training import word_counts
from course_lib.tokenizers.bpe.updated import train_updated
from course_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    SpecialTokens,
    blocks,
    compiled,
    pieces,
    well_formed,
)
from course_lib.whole_file import replace_file

_MOST_CACHED = 2**14  # words whose ids are remembered; a few megabytes
_BLOCK = 2**12  # characters of a stream that are encoded at a time


class BPETokenizer:
    """Byte-level byte-pair encoding: any text becomes ids, and the same text again.

    Attributes:
        vocab: the bytes of each id, special tokens among them.
        merges: pairs of tokens in the order in which they were learnt.
        special_tokens: the id of each special token.
        pattern: where a text is cut before merging; None where it is not.

    Source:
        Sennrich et al. 2016, section 3.2 (merges); Radford et al. 2019, section 2.2 (bytes).
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[bytes, bytes]],
        *,
        special_tokens: Mapping[str, int] | Iterable[str] = (),
        pattern: str | None = GPT2_PATTERN,
    ):
        """Put a tokenizer together from its parts.

        Args:
            vocab: the bytes of each id.  All 256 single bytes must be there, under any ids, so
                that there is no unknown text.
            merges: each merge's parts must be in the vocabulary and made before it.
            special_tokens: their ids; or only their texts, and those that are not in the
                vocabulary are numbered from its end.
            pattern: a regular expression for the `regex` library, or None.

        Raises:
            ValueError: naming what is missing or does not fit.
        """
        if pattern is not None:
            compiled(pattern)
        self.pattern, self.merges = pattern, [tuple(pair) for pair in merges]
        self._id_of = require_vocabulary(vocab, self.merges)
        self.special_tokens = special_ids(special_tokens, vocab, self._id_of)
        by_id = {i: text.encode("utf8") for text, i in self.special_tokens.items()}
        self.vocab = dict(vocab) | by_id
        self._special = SpecialTokens(self.special_tokens)
        self._byte_ids = [self._id_of[bytes([byte])] for byte in range(256)]
        pairs = [(self._id_of[left], self._id_of[right]) for left, right in self.merges]
        self._ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self._new_ids = [self._id_of[left + right] for left, right in self.merges]
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def train(
        cls,
        texts: str | bytes | Iterable[str | bytes],
        vocab_size: int,
        *,
        special_tokens: Iterable[str] = (),
        pattern: str | None = GPT2_PATTERN,
        tie: str = "greatest bytes",
        byte_order: bytes = bytes(range(256)),
    ) -> "BPETokenizer":
        """Learn merges from one text or several.

        Args:
            texts: no token goes from one text to the next.
            vocab_size: 256 bytes, the merges and the special tokens together; the vocabulary is
                smaller when the text has no pair left to merge.
            special_tokens: are no part of what is learnt, and get the last ids.
            pattern: a regular expression for the `regex` library, or None.
            tie: which of several equally frequent pairs is merged, see `ties`.
            byte_order: all 256 bytes in the order of their ids.  With GPT-2's order and the tie
                rule ``lowest ids`` the merges are those of Hugging Face tokenizers.
        """
        require_tie_rule(tie)
        special = special_texts(special_tokens)
        require_whole(0, vocab_size=vocab_size)
        n_merges = vocab_size - 256 - len(special)
        if n_merges < 0:
            raise ValueError(
                f"vocab_size must be >= {256 + len(special)}, the 256 bytes and "
                f"{len(special)} special tokens, got {vocab_size}"
            )
        several = [texts] if isinstance(texts, str | bytes) else texts
        counts = word_counts(several, pattern, special, byte_order)
        tokens = [bytes([byte]) for byte in byte_order]
        merges = []
        for left, right in train_updated(counts, tokens, n_merges, tie):
            merges.append((tokens[left], tokens[right]))
            tokens.append(tokens[left] + tokens[right])
        numbered = {text: len(tokens) + i for i, text in enumerate(special)}
        return cls(dict(enumerate(tokens)), merges, special_tokens=numbered, pattern=pattern)

    @property
    def vocab_size(self) -> int:
        """Rows that a table of embeddings needs: the greatest id and one."""
        return max(self.vocab) + 1

    def encode(self, text: str | bytes, *, allow_special: bool = True) -> list[int]:
        """Turn a text into ids; bytes that are no UTF-8 are encoded as they are.

        Args:
            text: any text.
            allow_special: False reads special tokens as ordinary text, as one should where the
                text comes from a stranger.

        Raises:
            ValueError: if a str holds a lone surrogate.
        """
        text, ids = well_formed(text), []
        parts = self._special.split(text) if allow_special else [text]
        for i, part in enumerate(parts):
            if i % 2:
                ids.append(self.special_tokens[part])
                continue
            for word in pieces(part, self.pattern):
                known = self._cache.get(word)
                ids += self._encode_word(word) if known is None else known
        return ids

    def encode_stream(
        self, texts: Iterable[str], *, allow_special: bool = True
    ) -> Iterator[int]:
        """Yield, while it is being read, the ids that all the texts joined would have.

        Memory stays small whatever the stream's length, unless it holds no place where it can
        be cut: with GPT-2's pattern the start of white space, with others special tokens alone.
        """
        special = self._special if allow_special else SpecialTokens(())
        for block in blocks(texts, self.pattern, special, _BLOCK):
            yield from self.encode(block, allow_special=allow_special)

    def decode_bytes(self, ids: Iterable[int] | Int[Tensor, " length"]) -> bytes:
        """Turn ids back into exactly the bytes they came from.

        Raises:
            ValueError: naming an id that is not in the vocabulary.
        """
        try:
            return b"".join([self.vocab[i] for i in listed_ids(ids)])
        except KeyError as error:
            raise ValueError(
                f"ids must be in the vocabulary of {len(self.vocab)} tokens, got {error}"
            ) from None

    def decode(
        self, ids: Iterable[int] | Int[Tensor, " length"], errors: str = "replace"
    ) -> str:
        """Turn ids back into text; bytes that are no UTF-8 become the replacement character."""
        return self.decode_bytes(ids).decode("utf8", errors)

    def save(self, path: str | Path) -> None:
        """Write the tokenizer to one JSON file; whatever stops this, an old file is still there."""
        replace_file(path, self.to_json().encode("utf8"))

    @classmethod
    def load(cls, path: str | Path) -> "BPETokenizer":
        """Read what `save` wrote.

        Raises:
            ValueError: if the file is truncated, damaged, or of another kind.
        """
        return cls.from_json(Path(path).read_bytes(), Path(path).name)

    def to_json(self) -> str:
        """Write the tokenizer as a text that a person can read."""
        return to_json(self._id_of, self.merges, self.special_tokens, self.pattern)

    @classmethod
    def from_json(cls, data: bytes, name: str = "data") -> "BPETokenizer":
        """Read what `to_json` wrote, in UTF-8; errors call it ``name``.

        Raises:
            ValueError: if the text is truncated, damaged, or of another kind.
        """
        vocab, merges, special_tokens, pattern = from_json(data, name)
        try:
            return cls(vocab, merges, special_tokens=special_tokens, pattern=pattern)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name} is damaged: {error}") from error

    def _encode_word(self, word: str) -> list[int]:
        """Encode one piece of text and remember its ids."""
        ids = [self._byte_ids[byte] for byte in word.encode("utf8", "surrogateescape")]
        if len(ids) > LONG:
            return encode_long_word(ids, self._ranks, self._new_ids)
        if len(self._cache) == _MOST_CACHED:
            self._cache.clear()
        self._cache[word] = encoded = encode_word(ids, self._ranks, self._new_ids)
        return encoded
