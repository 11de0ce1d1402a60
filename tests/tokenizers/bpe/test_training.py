import pytest

from course_lib.tokenizers.bpe.training import word_counts
from course_lib.tokenizers.pretokenize import GPT2_PATTERN


def test_words_as_ids_in_the_order_in_which_they_are_met():
    counts = word_counts(["b a a<s>a", b" a\xff"], GPT2_PATTERN, ["<s>"])
    expected = {(98,): 1, (32, 97): 3, (97,): 1, (255,): 1}
    assert list(counts.items()) == list(expected.items())


def test_whole_texts():
    assert word_counts(["a b", "a b", ""], None) == {(97, 32, 98): 2}


def test_another_order_of_bytes():
    assert word_counts(["ab"], None, (), bytes(range(255, -1, -1))) == {(158, 157): 1}
    with pytest.raises(ValueError, match="each of the 256 bytes once"):
        word_counts(["ab"], None, (), bytes(256))
