from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_lists import FOUR_BYTES, WORDS

from course_lib.tokenizers.bpe.naive import count_pairs, merge_pair, most_frequent, train_naive
from course_lib.tokenizers.bpe.ties import TIE_RULES


def test_count_and_merge_by_hand():
    assert count_pairs([[1, 1, 1, 2], [2], [1, 2]]) == {(1, 1): 2, (1, 2): 2}
    assert list(count_pairs([[1, 2, 3], [0, 1, 2]])) == [(1, 2), (2, 3), (0, 1)]
    assert merge_pair([1, 1, 1, 2, 1], (1, 1), 9) == [9, 1, 2, 1]
    assert merge_pair([1, 2, 1, 2, 1], (1, 2), 9) == [9, 9, 1]
    assert merge_pair([], (1, 2), 9) == []


def test_sennrichs_words():
    """low, lower, newest, widest with 5, 2, 6 and 3 occurrences; the last of equals by bytes."""
    text = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
    tokens = [bytes([byte]) for byte in range(256)]
    merges = train_naive([list(word.encode()) for word in text], tokens, 6, "greatest bytes")
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    assert tokens[256:] == [b"st", b"est", b"ow", b"low", b"west", b"ne"]


@pytest.mark.parametrize(
    ("tie", "expected"),
    [("greatest bytes", (3, 0)), ("first met", (1, 2)), ("lowest ids", (0, 3))],
)
def test_ties(tie, expected):
    counts = Counter({(1, 2): 4, (3, 0): 4, (0, 3): 4, (2, 2): 3})
    assert most_frequent(counts, FOUR_BYTES, tie) == expected


def test_greatest_bytes_compares_as_python_compares_bytes():
    tokens = [b"", b"a", b"ab", b"\xff", b"a\xff", b"aba"]
    pairs = [(i, j) for i in range(1, 6) for j in range(1, 6)]
    counts = Counter(dict.fromkeys(pairs, 1))
    while counts:
        best = max(counts, key=lambda pair: (tokens[pair[0]], tokens[pair[1]]))
        assert most_frequent(counts, tokens, "greatest bytes") == best
        del counts[best]


@given(WORDS, st.sampled_from(TIE_RULES))
def test_each_merge_is_the_most_frequent_and_counts_never_rise(words, tie):
    before, tokens = float("inf"), list(FOUR_BYTES)
    for i, pair in enumerate(train_naive(words, tokens, 30, tie)):
        counts = Counter(p for word in words for p in pairwise(word))
        assert counts[pair] == max(counts.values()) <= before
        before = counts[pair]
        words = [merge_pair(word, pair, len(FOUR_BYTES) + i) for word in words]
    assert tokens == FOUR_BYTES  # as they were


def test_ends_when_no_pair_is_left():
    assert train_naive([[0, 1], [2]], FOUR_BYTES, 5, "first met") == [(0, 1)]
    assert train_naive([], FOUR_BYTES, 5, "first met") == []
    assert train_naive([[0, 1]], FOUR_BYTES, 0, "first met") == []
