"""How a WordPiece vocabulary is learnt: pieces that stand side by side are merged, one pair a time.

Google never published the program that made BERT's vocabulary.  Two rules for the next pair are
known.  ``frequency`` is byte-pair encoding's: the pair seen most often; Hugging Face's
``WordPieceTrainer`` does this.  ``likelihood`` divides that count by the counts of both parts:
the pair seen most often for how common its parts are.  Schuster and Nakajima (2012), who made
WordPiece, merge what raises the likelihood of their text under a language model the most; the
formula for it is that of Hugging Face's course, chapter 6.  Neither knows what a piece means.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.tokenizers.bert_split import basic_split
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS, Vocabulary

PREFIX = "##"  # before a piece that goes on with a word
RULES = ("frequency", "likelihood")


@dataclass(frozen=True)
class Merge:
    """Two pieces that become one, how often they stood side by side, and how often each stood."""

    first: str
    second: str
    count: int
    first_count: int
    second_count: int

    @property
    def token(self) -> str:
        """The new piece."""
        return self.first + self.second.removeprefix(PREFIX)

    @property
    def score(self) -> float:
        """The count for how common both parts are: pair / (first * second)."""
        return self.count / (self.first_count * self.second_count)


def train_vocabulary(
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    rule: str = "frequency",
    min_count: int = 1,
    max_alphabet: int | None = None,
    lower_case: bool = True,
    special_tokens: Iterable[str] = SPECIAL_TOKENS,
) -> Vocabulary:
    """Learn a vocabulary: special tokens, characters, then merged pieces in the order learnt.

    Args:
        texts: one text or several; no piece goes across words.
        vocab_size: all of them together; fewer when no pair is left to merge.
        rule: which pair is merged next, ``frequency`` or ``likelihood``; of equals, the first
            in the order of code points.
        min_count: pairs seen less often are never merged; with ``likelihood`` it is needed, or
            words seen once come first.
        max_alphabet: keep only the most frequent characters; words with others stay unknown.
        lower_case: take off case and accents first.
        special_tokens: get the first ids.

    Raises:
        ValueError: if ``vocab_size`` has no room for the special tokens and all characters.

    Agrees with: Hugging Face's ``WordPieceTrainer`` for ``frequency`` (the same pieces, unless
    equals are taken in another order; other ids).
    """
    _require_rule(rule, min_count)
    require_whole(0, vocab_size=vocab_size)
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens must be several texts, got the text {special_tokens!r}")
    special = list(dict.fromkeys(special_tokens))
    counts = count_words(texts, lower_case)
    kept = _alphabet(counts, max_alphabet)
    counts = {word: n for word, n in counts.items() if kept.issuperset(word)}
    inside = {PREFIX + char for word in counts for char in word[1:]}
    tokens = dict.fromkeys([*special, *sorted(kept), *sorted(inside)])
    if vocab_size < len(tokens):
        raise ValueError(
            f"vocab_size must be >= {len(tokens)}, {len(special)} special tokens and "
            f"{len(kept)} characters alone and inside words, got {vocab_size}"
        )
    for merge in merges(counts, rule, min_count) if vocab_size > len(tokens) else ():
        tokens[merge.token] = None
        if len(tokens) == vocab_size:
            break
    return Vocabulary(tokens, required=special)


def count_words(texts: str | Iterable[str], lower_case: bool = True) -> Counter[str]:
    """Count the words that BERT's splitting finds."""
    several = [texts] if isinstance(texts, str) else texts
    return Counter(word for text in several for word in basic_split(text, lower_case))


def merges(
    word_counts: Mapping[str, int], rule: str = "frequency", min_count: int = 1
) -> Iterator[Merge]:
    """Yield merge after merge, until every word is one piece or no pair is frequent enough.

    Cost:
        A merge looks once at every pair there is, and changes the words that hold its own.
    """
    _require_rule(rule, min_count)
    words = _Words(word_counts)
    while (pair := _best_pair(words, rule, min_count)) is not None:
        first, second = pair
        yield Merge(first, second, words.pairs[pair], words.pieces[first], words.pieces[second])
        words.merge(first, second)


def _best_pair(words: "_Words", rule: str, min_count: int) -> tuple[str, str] | None:
    """Find the pair to merge; of equals, the first in the order of code points."""
    n, n_pair = words.pieces, words.pairs
    if rule == "frequency":
        scores = n_pair
    else:  # equal fractions divide to equal floats, so ties are exact
        scores = {pair: count / (n[pair[0]] * n[pair[1]])
                  for pair, count in n_pair.items() if count >= min_count}  # fmt: skip
    best = max(scores.values(), default=0)
    tied = [pair for pair, score in scores.items() if score == best and n_pair[pair] >= min_count]
    return min(tied, default=None)


def _require_rule(rule: str, min_count: int) -> None:
    """Raise unless the two say how to choose a pair."""
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
    require_whole(1, min_count=min_count)


def _alphabet(counts: Mapping[str, int], most: int | None) -> set[str]:
    """The characters to keep: all, or the most frequent."""
    if most is not None:
        require_whole(1, max_alphabet=most)
    seen = Counter()
    for word, n in counts.items():
        for char in word:
            seen[char] += n
    return set(sorted(seen, key=lambda char: (-seen[char], char))[:most])


class _Words:
    """Every word in its pieces so far, with the counts of pieces and of pairs kept up to date."""

    def __init__(self, word_counts: Mapping[str, int]):
        self.words = [[w[0], *(PREFIX + char for char in w[1:])] for w in word_counts if w]
        self.counts = [n for word, n in word_counts.items() if word]
        self.pieces: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.holding: dict[tuple[str, str], set[int]] = defaultdict(set)
        for i in range(len(self.words)):
            self._add(i, self.counts[i])

    def merge(self, first: str, second: str) -> None:
        """Join this pair in every word that holds it."""
        joined = first + second.removeprefix(PREFIX)
        for i in self.holding.pop((first, second)):
            old = self.words[i]
            self._add(i, -self.counts[i])
            self.words[i] = new = []
            for piece in old:
                if new and new[-1] == first and piece == second:
                    new[-1] = joined
                else:
                    new.append(piece)
            self._add(i, self.counts[i])

    def _add(self, i: int, n: int) -> None:
        """Count one word's pieces and pairs ``n`` times, or off where ``n`` is negative."""
        word = self.words[i]
        for piece in word:
            self.pieces[piece] += n
        for pair in zip(word, word[1:], strict=False):
            self.pairs[pair] += n
            if n > 0:
                self.holding[pair].add(i)
            elif not self.pairs[pair]:
                del self.pairs[pair]
