"""What byte-pair encoding learns, merge by merge, and what a word is cut into afterwards."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate

from course_lib.config import require_whole
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.bpe.counted import count_words, train_counted
from course_lib.tokenizers.bpe.naive import train_naive
from course_lib.tokenizers.bpe.ties import Pair
from course_lib.tokenizers.bpe.training import word_counts
from course_lib.tokenizers.bpe.updated import GONE, LinkedWords, PairQueue, train_updated
from course_lib.tokenizers.pretokenize import GPT2_PATTERN, pieces

TIE = "greatest bytes"
BYTES = [bytes([byte]) for byte in range(256)]  # a byte is its own id here


@dataclass(frozen=True)
class Step:
    """One merge: the two tokens, and how often they stood side by side just before.

    ``ties`` counts the pairs that occurred as often, the merged one too.
    """

    left: bytes
    right: bytes
    count: int
    ties: int


def merge_steps(text: str, n_merges: int, *, any_pair: int | None = None) -> list[Step]:
    """Learn merges and note how often each merged pair stood in the text.

    Args:
        text: is cut into pieces by GPT-2's pattern first.
        n_merges: how many; fewer when no pair is left.
        any_pair: a seed; each merge then takes any pair that stands in the text, which is not
            BPE any more.
    """
    require_whole(0, n_merges=n_merges)
    words, tokens, steps = LinkedWords(word_counts([text], GPT2_PATTERN)), list(BYTES), []
    queue = PairQueue(words, tokens, TIE)
    dice = None if any_pair is None else random.Random(any_pair)
    while len(steps) < n_merges:
        pair = queue.pop() if dice is None else _any(words, dice)
        if pair is None:
            break
        left, right = (tokens[i] for i in pair)
        count = words.counts[pair]
        steps.append(Step(left, right, count, [*words.counts.values()].count(count)))
        made = words.merge(pair, len(tokens))
        tokens.append(left + right)
        for new in made:
            queue.add(new)
    return steps


def _any(words: LinkedWords, dice: random.Random) -> Pair | None:
    """Draw one of the pairs that stand in the text, whatever their counts."""
    there = [pair for pair, count in words.counts.items() if count > 0]
    return dice.choice(there) if there else None


def count_after(text: str, n_merges: int) -> Counter[tuple[bytes, bytes]]:
    """Count the pairs of neighbouring tokens after some merges."""
    words, tokens = LinkedWords(word_counts([text], GPT2_PATTERN)), list(BYTES)
    for pair in train_updated(word_counts([text], GPT2_PATTERN), tokens, n_merges, TIE):
        words.merge(pair, len(tokens))
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
    counts = words.counts.items()
    return Counter({(tokens[left], tokens[right]): n for (left, right), n in counts if n})


def cuts_of_training(text: str, n_merges: int) -> dict[bytes, list[bytes]]:
    """Return, for each distinct piece of a text, the tokens that training has left in it."""
    counts = word_counts([text], GPT2_PATTERN)
    tokens = list(BYTES)
    words = LinkedWords(counts)
    for pair in train_updated(counts, tokens, n_merges, TIE):
        words.merge(pair, len(tokens))
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
    starts = accumulate((len(word) + 1 for word in counts), initial=1)  # one border each
    ends = zip(counts, starts, strict=False)  # the last border starts no word
    rows = ((word, words.symbols[at : at + len(word)]) for word, at in ends)
    return {bytes(word): [tokens[i] for i in row if i != GONE] for word, row in rows}


def cut(tokenizer: BPETokenizer, text: str | bytes) -> list[bytes]:
    """Encode a text and give the tokens in place of their ids."""
    return [tokenizer.vocab[i] for i in tokenizer.encode(text)]


def longest_match(word: bytes, tokens: Collection[bytes]) -> list[bytes]:
    """Cut a word otherwise than BPE does: from the left, always the longest token there is.

    Raises:
        ValueError: if a byte of the word is no token.
    """
    found, start = [], 0
    while start < len(word):
        ends = (end for end in range(len(word), start, -1) if word[start:end] in tokens)
        end = next(ends, None)
        if end is None:
            raise ValueError(f"tokens must hold every byte, got none for {word[start:start + 1]!r}")
        found.append(word[start:end])
        start = end
    return found


@dataclass(frozen=True)
class Timed:
    """Three ways to learn the same merges.

    Units:
        seconds, one number a round; the rounds of the three ways take turns.
    """

    seconds: dict[str, list[float]]
    merges: dict[str, list[Pair]]

    @property
    def best(self) -> dict[str, float]:
        """The fastest round of each: the one least disturbed by other programs."""
        return {name: min(seconds) for name, seconds in self.seconds.items()}

    def faster(self, slow: str, fast: str) -> float:
        """How many times as fast one way is as another: the median over the rounds.

        The two runs of a round follow each other, so what slows one down mostly slows both.
        """
        pairs = zip(self.seconds[slow], self.seconds[fast], strict=True)
        return statistics.median(one / other for one, other in pairs)


def time_three_steps(text: str, n_merges: int, n_rounds: int = 5) -> Timed:
    """Train in all three ways, in turns, each from the pieces of the text."""
    require_whole(1, n_merges=n_merges, n_rounds=n_rounds)
    words = [list(piece.encode("utf8")) for piece in pieces(text, GPT2_PATTERN)]
    ways = {
        "naive": lambda: train_naive(words, BYTES, n_merges, TIE),
        "counted": lambda: train_counted(count_words(words), BYTES, n_merges, TIE),
        "updated": lambda: train_updated(count_words(words), BYTES, n_merges, TIE),
    }
    seconds, merges = {name: [] for name in ways}, {}
    for _ in range(n_rounds):
        for name, train in ways.items():
            start = time.perf_counter()
            merges[name] = train()
            seconds[name].append(time.perf_counter() - start)
    return Timed(seconds, merges)
