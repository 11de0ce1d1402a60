"""Texts without meaning: what stays as it was in them, and what does not."""

import string
from collections import Counter

import pytest

from course_lib.experiments.secret_writing import (
    secret_writing,
    shuffled_words,
    tokens_of,
    with_word,
)

TEXT = "It's the other's moth; they'll bother them, and the 12 Others?\n" * 3


def test_secret_writing_can_be_read_back_and_keeps_all_but_letters():
    for seed in range(5):
        table = secret_writing(seed)
        back = {new: old for old, new in table.items()}
        assert sorted(chr(new) for new in table.values()) == sorted(string.ascii_letters)
        hidden = TEXT.translate(table)
        assert hidden != TEXT and hidden.translate(back) == TEXT
        kinds = [(c.isalpha(), c.isupper()) for c in TEXT]
        assert [(c.isalpha(), c.isupper()) for c in hidden] == kinds


def test_the_same_merges_are_learnt_in_secret_writing_and_not_from_mixed_words():
    plain = tokens_of(TEXT, 25)
    for seed in range(5):
        table = secret_writing(seed)
        hidden = tokens_of(TEXT.translate(table), 25)
        assert [token.translate(table) for token in plain] == hidden
    assert set(tokens_of(shuffled_words(TEXT, 0), 25)) != set(plain)


def test_mixed_words_keep_their_letters_and_copies_stay_alike():
    mixed = shuffled_words(TEXT, seed=3)
    assert len(mixed) == len(TEXT) and Counter(mixed) == Counter(TEXT)
    assert [c for c in mixed if not c.isalpha()] == [c for c in TEXT if not c.isalpha()]
    first, second, third = mixed.splitlines()
    assert first == second == third != TEXT.splitlines()[0]
    assert mixed == shuffled_words(TEXT, seed=3) != shuffled_words(TEXT, seed=4)


@pytest.mark.parametrize("times", [0, 1, 2, 5, 30])
def test_the_word_is_there_as_often_as_asked(times):
    lines = "\n".join(f"line {i}" for i in range(7))
    found = with_word(lines, "zqxjv", times)
    assert found.count(" zqxjv") == times and found.replace(" zqxjv", "") == lines


def test_places_are_spread_over_the_text():
    found = with_word("\n".join("a" * 10), "zq", 2).splitlines()
    assert [i for i, line in enumerate(found) if "zq" in line] == [0, 5]
