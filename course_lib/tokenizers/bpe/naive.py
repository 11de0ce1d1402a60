"""Step 1: BPE as one would write it after reading its definition.

Count all pairs of neighbours, merge the most frequent pair everywhere, start again.  Sennrich
et al. 2016 (section 3.2) merge characters; here the first symbols are bytes, as in GPT-2.
"""

from collections import Counter
from itertools import pairwise

from course_lib.tokenizers.bpe.ties import Pair, tie_key


def count_pairs(words: list[list[int]]) -> Counter[Pair]:
    """Count each pair of neighbours; pairs stand in the order in which they are met first."""
    counts = Counter()
    for word in words:
        counts.update(pairwise(word))
    return counts


def merge_pair(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace a pair by one new id, from left to right: in a a a, the first two are merged."""
    merged, i = [], 0
    while i < len(ids):
        if ids[i] == pair[0] and i + 1 < len(ids) and ids[i + 1] == pair[1]:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def most_frequent(counts: Counter[Pair], tokens: list[bytes], tie: str) -> Pair:
    """Choose the most frequent pair; among equals the tie rule decides."""
    greatest = max(counts.values())
    equals = [pair for pair, count in counts.items() if count == greatest]
    return min(equals, key=lambda pair: tie_key(tie, pair, tokens, equals.index))


def train_naive(
    words: list[list[int]], tokens: list[bytes], n_merges: int, tie: str
) -> list[Pair]:
    """Learn merges by counting everything anew before each of them.

    Args:
        words: the text's pieces as ids of bytes, repeated words repeated.
        tokens: the bytes of each id so far; left as it is.
        n_merges: how many to learn; fewer when no pair is left.
        tie: see :mod:`course_lib.tokenizers.bpe.ties`.

    Returns:
        The pairs in the order of merging; merge number i makes the id ``len(tokens) + i``.

    Cost:
        n_merges times the length of the text.
    """
    tokens, merges = list(tokens), []
    while len(merges) < n_merges and (counts := count_pairs(words)):
        pair = most_frequent(counts, tokens, tie)
        words = [merge_pair(word, pair, len(tokens)) for word in words]
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)
    return merges
