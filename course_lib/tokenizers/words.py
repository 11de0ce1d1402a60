"""Whole words as tokens: the simplest vocabulary that can be read, with no way to spell others."""

from collections.abc import Iterable

from jaxtyping import Int
from torch import Tensor

from course_lib.tokenizers.bpe.checked import listed_ids


class WordTokenizer:
    """Words with spaces between them, each with its place in the list as its id."""

    def __init__(self, words: Iterable[str]):
        """Number the words from 0 on.

        Raises:
            ValueError: if there is none, or one stands twice, is empty or holds a space.
        """
        self.words = tuple(words)
        if not self.words:
            raise ValueError("words must hold at least one word, got none")
        self._id_of: dict[str, int] = {}
        for i, word in enumerate(self.words):
            if not isinstance(word, str) or word.split() != [word]:
                raise ValueError(f"words must be texts without spaces, got {word!r} for id {i}")
            if self._id_of.setdefault(word, i) != i:
                raise ValueError(
                    f"words must differ, but ids {self._id_of[word]} and {i} are both {word!r}"
                )

    @property
    def vocab_size(self) -> int:
        """Rows that a table of embeddings needs."""
        return len(self.words)

    def encode(self, text: str) -> list[int]:
        """Turn words with spaces between them into ids.

        Raises:
            ValueError: naming a word that is not in the vocabulary.
        """
        if unknown := [word for word in text.split() if word not in self._id_of]:
            raise ValueError(
                f"text must be made of the {len(self.words)} words of the vocabulary, "
                f"got {unknown[0]!r}"
            )
        return [self._id_of[word] for word in text.split()]

    def decode(self, ids: Iterable[int] | Int[Tensor, " length"]) -> str:
        """Turn ids into words with spaces between them.

        Raises:
            ValueError: naming an id that is not in the vocabulary.
        """
        numbers = listed_ids(ids)
        if unknown := [i for i in numbers if not 0 <= i < len(self.words)]:
            raise ValueError(f"ids must lie in [0, {len(self.words)}), got {unknown[0]}")
        return " ".join(self.words[i] for i in numbers)
