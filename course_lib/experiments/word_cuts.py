"""One word cut in several ways, from pieces learnt in several ways (lesson 12)."""

import math
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import islice, pairwise

from course_lib.packaged import is_installed
from course_lib.tokenizers.bert_published import published_vocabulary
from course_lib.tokenizers.wordpiece import longest_match
from course_lib.tokenizers.wordpiece_training import PREFIX, Merge, count_words, merges

WAYS = ("by rank", "longest first", "likelihood")


@dataclass(frozen=True)
class Cuts:
    """A word and its pieces, by each of ``WAYS``."""

    word: str
    n_merges: int
    pieces: dict[str, list[str]]


@dataclass(frozen=True)
class Learnt:
    """What two training rules merged in one text, and the characters they started from.

    The pieces of ``frequency`` serve two ways of cutting, so that rule and cutting are told apart.
    """

    characters: frozenset[str]
    frequency: tuple[Merge, ...]
    likelihood: tuple[Merge, ...]

    def at(self, word: str, n_merges: int) -> Cuts:
        """Cut a word with the first merges alone, in each of ``WAYS``."""
        pieces = {
            "by rank": by_rank(word, self.ranks(n_merges)),
            "longest first": longest_match(word, self.vocabulary(n_merges)),
            "likelihood": longest_match(word, self.vocabulary(n_merges, "likelihood")),
        }
        return Cuts(word, n_merges, pieces)

    def vocabulary(self, n_merges: int, rule: str = "frequency") -> frozenset[str]:
        """The characters and the first pieces that a rule learnt."""
        return self.characters | {merge.token for merge in getattr(self, rule)[:n_merges]}

    def ranks(self, n_merges: int) -> dict[tuple[str, str], int]:
        """When ``frequency`` merged each pair, from 0."""
        pairs = ((merge.first, merge.second) for merge in self.frequency[:n_merges])
        return {pair: rank for rank, pair in enumerate(pairs)}


def learn_both(text: str, n_merges: int, min_count: int = 10) -> Learnt:
    """Learn pieces from one text by either rule.

    Args:
        text: any text.
        n_merges: of each rule; fewer when no pair is left.
        min_count: for ``likelihood``; pairs seen less often are not merged.
    """
    counts = count_words(text)
    characters = {piece for word in counts for piece in characters_of(word)}
    both = (merges(counts), merges(counts, "likelihood", min_count))
    return Learnt(frozenset(characters), *(tuple(islice(steps, n_merges)) for steps in both))


def characters_of(word: str) -> list[str]:
    """A word in its smallest pieces."""
    return [word[0], *(PREFIX + character for character in word[1:])]


def by_rank(word: str, ranks: dict[tuple[str, str], int]) -> list[str]:
    """Cut a word as byte-pair encoding does: merge the pair learnt first, again and again."""
    pieces = characters_of(word)
    while len(pieces) > 1:
        pair = min(pairwise(pieces), key=lambda pair: ranks.get(pair, math.inf))
        if pair not in ranks:
            break
        merged = []
        for piece in pieces:
            # A piece that was just merged is longer than either half, so it is not met again.
            if merged and (merged[-1], piece) == pair:
                merged[-1] += piece.removeprefix(PREFIX)
            else:
                merged.append(piece)
        pieces = merged
    return pieces


def fewest(word: str, vocabulary: Container[str]) -> list[str] | None:
    """Cut a word into as few pieces as can be, or None where no cut fits.

    Of several, the one whose last piece is longest.
    """
    best: list[list[str] | None] = [[], *[None] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = (PREFIX if start else "") + word[start:end]
            before = best[start]
            if before is None or piece not in vocabulary:
                continue
            if best[end] is None or len(before) + 1 < len(best[end]):
                best[end] = [*before, piece]
    return best[-1]


def published_fewest(word: str) -> list[list[str]]:
    """The fewest pieces that BERT's published vocabulary has for a word; nothing without it."""
    if not is_installed("bert-vocabulary"):
        return []
    best = fewest(word, published_vocabulary())
    return [] if best is None else [best]


def worse_than_fewest(words: Iterable[str], vocabulary: Container[str]) -> list[str]:
    """Those of the words that longest first cuts into more pieces than needed."""
    least = {word: fewest(word, vocabulary) for word in words}
    return [word for word, best in least.items()
            if best is not None and len(longest_match(word, vocabulary)) > len(best)]  # fmt: skip


def published_worse(words: Iterable[str]) -> list[float]:
    """Share of words that BERT's published vocabulary gives more pieces than needed.

    Of those that it cuts at all; nothing without the vocabulary.
    """
    if not is_installed("bert-vocabulary"):
        return []
    vocabulary = published_vocabulary()
    several = [word for word in words
               if word not in vocabulary and fewest(word, vocabulary)]  # fmt: skip
    return [len(worse_than_fewest(several, vocabulary)) / len(several)]


def share_cut_otherwise(
    words: Iterable[str], vocabulary: Container[str], other: Container[str]
) -> float:
    """Share of words that longest first cuts otherwise with another vocabulary.

    Words that are one piece of the first are left out.
    """
    several = [word for word in words if word not in vocabulary]
    differ = [longest_match(word, other) != longest_match(word, vocabulary) for word in several]
    return sum(differ) / len(several)


def cut_otherwise(learnt: Learnt, words: Iterable[str], n_merges: int) -> dict[str, float]:
    """Share of words that are cut otherwise, when one of two things is changed.

    Args:
        learnt: pieces of both rules.
        words: those that are one piece, or hold a character that was never seen, are left out.
        n_merges: of each rule.

    Returns:
        For ``cut``: by rank against longest first, with the same pieces.  For ``training``: pieces
        by likelihood against pieces by frequency, both longest first.
    """
    ranks = learnt.ranks(n_merges)
    frequent, likely = (learnt.vocabulary(n_merges, rule) for rule in ("frequency", "likelihood"))
    known = [word for word in words if learnt.characters.issuperset(characters_of(word))]
    cuts = {word: longest_match(word, frequent) for word in known}
    several = [word for word in known if len(cuts[word]) > 1]
    if not several:
        raise ValueError("words must hold one that is known and in several pieces, got none")
    by_other_cut = sum(by_rank(word, ranks) != cuts[word] for word in several)
    by_other_pieces = share_cut_otherwise(several, frequent, likely)
    return {"cut": by_other_cut / len(several), "training": by_other_pieces}
