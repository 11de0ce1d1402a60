"""What WordPiece makes of words: known, in pieces, unknown (lesson 12)."""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from course_lib.packaged import is_installed
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.bert_split import basic_split
from course_lib.tokenizers.vocabulary import UNKNOWN
from course_lib.tokenizers.wordpiece import MAX_CHARS, longest_match
from course_lib.tokenizers.wordpiece_training import PREFIX

# A vocabulary for working by hand: pieces of bert-base-uncased, enough to cut "unhappiness" as
# that does.  Like that one it has no ##happy.
TOY = ("[UNK]", "un", "happy", "unhappy", "##ha", "##pp", "##iness", "##ness", "##y", "a", "##a")
STEMS = ("kind", "fair", "clean", "safe", "wise", "real", "just", "mad", "bold", "sure")
MYTH = ("un", "##happy", "##ness")  # said of "unhappiness" in many places


@dataclass(frozen=True)
class Reading:
    """A word, the pieces it was cut into, and the word that those pieces spell."""

    word: str
    pieces: tuple[str, ...]

    @property
    def spelled(self) -> str:
        """The pieces joined."""
        return "".join(piece.removeprefix(PREFIX) for piece in self.pieces)

    @property
    def known(self) -> bool:
        """Whether the word became pieces, not ``[UNK]``."""
        return self.pieces != (UNKNOWN,)


def readings(text: str, vocabulary: Container[str] = TOY) -> list[Reading]:
    """Cut every word of a text."""
    return [Reading(word, tuple(longest_match(word, vocabulary))) for word in basic_split(text)]


def one_stranger(word: str, stranger: str, vocabulary: Container[str] = TOY) -> list[Reading]:
    """Put one character into a word at each place, the ends too, and cut what comes out."""
    places = range(len(word) + 1)
    changed = [word[:i] + stranger + word[i:] for i in places if len(word) < MAX_CHARS]
    return [Reading(each, tuple(longest_match(each, vocabulary))) for each in changed]


def with_affixes(text: str, prefix: str, suffix: str, times: int) -> str:
    """Add words that begin or end alike to a text, each as often as ``times`` says."""
    words = [word for stem in STEMS for word in (prefix + stem, stem + suffix)]
    return text + (" " + " ".join(words)) * times


def published_cuts(words: Iterable[str]) -> list[Reading]:
    """Cut words with BERT's published vocabulary; nothing where it is not installed."""
    if not is_installed("bert-vocabulary"):
        return []
    vocabulary = published_vocabulary()
    return [reading for word in words for reading in readings(word, vocabulary)]
