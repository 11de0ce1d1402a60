"""What WordPiece makes of words: known, in pieces, unknown (lesson 12)."""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from course_lib.packaged import is_installed
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.bert_split import basic_split
from course_lib.tokenizers.vocabulary import UNKNOWN
from course_lib.tokenizers.wordpiece import MAX_CHARS, longest_match
from course_lib.tokenizers.wordpiece_training import PREFIX, count_words, merges

# A vocabulary for working by hand.  It has the pieces that bert-base-uncased has for the letters
# of "unhappiness", and like that one it has no ##happy.
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


@dataclass(frozen=True)
class RuleRun:
    """The pieces that one training rule learnt, in order, and how often each pair was seen."""

    rule: str
    tokens: tuple[str, ...]
    counts: tuple[int, ...]


def learn(text: str, rule: str, n_merges: int, min_count: int = 1) -> RuleRun:
    """Train with one rule and note what it merged.

    Args:
        text: any text.
        rule: ``frequency`` or ``likelihood``, see ``tokenizers.wordpiece_training``.
        n_merges: how many, unless the text runs out of pairs.
        min_count: pairs seen less often are not merged.
    """
    steps = zip(range(n_merges), merges(count_words(text), rule, min_count), strict=False)
    made = [merge for _, merge in steps]
    return RuleRun(rule, tuple(m.token for m in made), tuple(m.count for m in made))


def renamed(text: str, letters: dict[str, str]) -> str:
    """Swap letters for others everywhere, so that the words lose their meaning, not their shape.

    Raises:
        ValueError: if two letters would become one.
    """
    if len(set(letters.values())) != len(letters) or set(letters.values()) != set(letters):
        raise ValueError(f"letters must swap places among themselves, got {letters}")
    return text.translate(str.maketrans(letters))


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
