"""WordPiece: a word is cut into the longest pieces that the vocabulary has, from the left."""

import re
from collections.abc import Container, Iterable
from pathlib import Path

from course_lib.config import require_whole
from course_lib.tokenizers.bert_split import basic_split
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS, UNKNOWN, Vocabulary
from course_lib.tokenizers.well_formed import require_well_formed
from course_lib.tokenizers.wordpiece_training import PREFIX, train_vocabulary

MAX_CHARS = 100  # of a word; a longer one is unknown
_MOST_REMEMBERED = 2**14  # words


def longest_match(
    word: str, vocabulary: Container[str], max_chars: int = MAX_CHARS
) -> list[str]:
    """Cut one word into pieces: the longest that fits, and again with what is left of the word.

    Args:
        word: without spaces.
        vocabulary: the pieces there are, with ``##`` before those that go on with a word.
        max_chars: of a word that is looked at.

    Returns:
        The pieces; ``[UNK]`` alone for a word that is too long, or in which at one place no
        piece fits.  What was found before that place is lost.

    Cost:
        Grows with the square of the word's length; hence ``max_chars``.

    Source:
        Wu et al. 2016 (the model), section 4.1; longest match first is the rule of the code
        released with Devlin et al. 2019.
    """
    if len(word) > max_chars:
        return [UNKNOWN]
    pieces, start = [], 0
    while start < len(word):
        prefix = PREFIX if start > 0 else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocabulary:
                break
        else:
            return [UNKNOWN]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


class WordPieceTokenizer:
    """BERT's tokenizer: clean, split into words, cut each word into pieces, number the pieces.

    Agrees with: ``BertTokenizer`` of Hugging Face transformers 5, on any text.
    """

    def __init__(
        self, vocabulary: Vocabulary, *, lower_case: bool = True, max_chars: int = MAX_CHARS
    ):
        """Put a tokenizer together.

        Args:
            vocabulary: must hold ``[UNK]``.
            lower_case: take off case and accents, as the uncased models do.
            max_chars: of a word; a longer one is unknown.
        """
        vocabulary.id_of(UNKNOWN)
        require_whole(1, max_chars=max_chars)
        self.vocabulary, self.lower_case, self.max_chars = vocabulary, lower_case, max_chars
        listed = "|".join(re.escape(token) for token in vocabulary.special_tokens)
        self._special = re.compile(f"({listed})")
        self._remembered: dict[str, list[str]] = {}

    @classmethod
    def train(
        cls, texts: str | Iterable[str], vocab_size: int, *, lower_case: bool = True, **rules
    ) -> "WordPieceTokenizer":
        """Learn a vocabulary; the arguments are those of ``train_vocabulary``."""
        vocabulary = train_vocabulary(texts, vocab_size, lower_case=lower_case, **rules)
        return cls(vocabulary, lower_case=lower_case)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        lower_case: bool = True,
        max_chars: int = MAX_CHARS,
        required: Iterable[str] = SPECIAL_TOKENS,
    ) -> "WordPieceTokenizer":
        """Read the vocabulary from a ``vocab.txt``; the file does not say ``lower_case``."""
        vocabulary = Vocabulary.load(path, required)
        return cls(vocabulary, lower_case=lower_case, max_chars=max_chars)

    def save(self, path: str | Path) -> None:
        """Write the vocabulary as a ``vocab.txt``."""
        self.vocabulary.save(path)

    @property
    def vocab_size(self) -> int:
        """Rows that a table of embeddings needs."""
        return len(self.vocabulary)

    def tokenize(self, text: str, *, allow_special: bool = True) -> list[str]:
        """Cut a text into tokens.

        Args:
            text: any text.
            allow_special: False reads ``[MASK]`` and its like as ordinary text, as one should
                where the text comes from a stranger.

        Raises:
            TypeError: if the text is no str.
            ValueError: if it holds a lone surrogate.
        """
        require_well_formed(text)
        parts = self._special.split(text) if allow_special else [text]
        tokens = []
        for i, part in enumerate(parts):
            if i % 2:
                tokens.append(part)
                continue
            for word in basic_split(part, self.lower_case):
                tokens += self._pieces(word)
        return tokens

    def encode(self, text: str, *, allow_special: bool = True) -> list[int]:
        """Turn a text into ids, without the special tokens around it; see ``tokenize``."""
        tokens = self.tokenize(text, allow_special=allow_special)
        return [self.vocabulary.id_of(token) for token in tokens]

    def decode(self, ids: Iterable, *, skip_special: bool = False) -> str:
        """Turn ids, a list or a tensor with one axis, into text: pieces joined, words spaced.

        The text is not the one that was encoded: case, accents, white space and unknown words
        are gone, and punctuation stands apart.

        Raises:
            ValueError: naming an id that is not in the vocabulary.
        """
        ids = ids.tolist() if hasattr(ids, "tolist") else ids
        tokens = [self.vocabulary.token_of(i) for i in ids]
        if skip_special:
            tokens = [token for token in tokens if token not in SPECIAL_TOKENS]
        return " ".join(tokens).replace(f" {PREFIX}", "").strip()

    def _pieces(self, word: str) -> list[str]:
        """Cut one word, and remember how."""
        if word not in self._remembered:
            if len(self._remembered) == _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[word] = longest_match(word, self.vocabulary, self.max_chars)
        return self._remembered[word]
