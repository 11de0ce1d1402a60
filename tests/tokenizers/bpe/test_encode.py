import time

from hypothesis import given
from hypothesis import strategies as st
from word_lists import FOUR_BYTES, WORDS

from course_lib.tokenizers.bpe.encode import encode_long_word, encode_word
from course_lib.tokenizers.bpe.naive import merge_pair, train_naive

RANKS = {(0, 1): 0, (4, 0): 1, (1, 1): 2}


def test_by_hand():
    for encode in (encode_word, encode_long_word):
        assert encode([0, 1, 0, 1], RANKS, [4, 5, 6]) == [4, 4]
        assert encode([0, 1, 0, 2], RANKS, [4, 5, 6]) == [5, 2]
        assert encode([1, 1, 1], RANKS, [4, 5, 6]) == [6, 1]
        assert encode([2], RANKS, [4, 5, 6]) == [2]
        assert encode([], RANKS, [4, 5, 6]) == []


@given(WORDS, st.lists(st.integers(0, 3), max_size=40))
def test_both_replay_the_merges_in_order(words, word):
    merges = train_naive(words, FOUR_BYTES, 30, "first met")
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    new_ids = [4 + rank for rank in range(len(merges))]
    replayed = word
    for pair, new_id in zip(merges, new_ids, strict=True):
        replayed = merge_pair(replayed, pair, new_id)
    assert encode_word(word, ranks, new_ids) == replayed
    assert encode_long_word(word, ranks, new_ids) == replayed


def test_the_ids_that_merges_make_may_be_in_any_order():
    ranks, new_ids = {(0, 1): 0, (9, 0): 1}, [9, 7]
    for encode in (encode_word, encode_long_word):
        assert encode([0, 1, 0, 0], ranks, new_ids) == [7, 0]


def test_a_long_word_does_not_take_the_square_of_its_length():
    merges = {(1, 1): 0, (2, 2): 1, (3, 3): 2, (4, 4): 3}
    start = time.perf_counter()
    assert len(encode_long_word([1] * 160_000, merges, [2, 3, 4, 5])) == 10_000
    assert time.perf_counter() - start < 10  # the square would take an hour
