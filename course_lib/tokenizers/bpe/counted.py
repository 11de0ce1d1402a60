"""Step 2: the same words come again and again, so each distinct word is looked at only once."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from course_lib.tokenizers.bpe.naive import merge_pair, most_frequent
from course_lib.tokenizers.bpe.ties import Pair


def count_words(words: Iterable[list[int]]) -> Counter[tuple[int, ...]]:
    """Count how often each word occurs; words stand in the order in which they are met first."""
    return Counter(map(tuple, words))


def count_weighted_pairs(words: list[list[int]], occurrences: list[int]) -> Counter[Pair]:
    """Count the pairs of distinct words, each as often as its word occurs."""
    counts = Counter()
    for word, n in zip(words, occurrences, strict=True):
        for pair in pairwise(word):
            counts[pair] += n
    return counts


def train_counted(
    word_counts: dict[tuple[int, ...], int], tokens: list[bytes], n_merges: int, tie: str
) -> list[Pair]:
    """Learn the same merges as `train_naive` from words that are counted once.

    Args:
        word_counts: how often each word occurs, in the order in which they are met first.
        tokens, n_merges, tie: as in `train_naive`.

    Cost:
        n_merges times the length of all distinct words.
    """
    tokens, merges = list(tokens), []
    words, occurrences = [list(word) for word in word_counts], list(word_counts.values())
    while len(merges) < n_merges and (counts := count_weighted_pairs(words, occurrences)):
        pair = most_frequent(counts, tokens, tie)
        words = [merge_pair(word, pair, len(tokens)) for word in words]
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)
    return merges
