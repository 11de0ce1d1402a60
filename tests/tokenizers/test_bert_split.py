import unicodedata

import pytest
import regex
from bert_oracle import CURIOUS, any_text
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers
from transformers.models.bert.tokenization_bert_legacy import BasicTokenizer

from course_lib.tokenizers.bert_split import (
    _CHINESE,
    basic_split,
    clean,
    lower,
    space_chinese,
    space_punctuation,
    strip_accents,
)
from course_lib.tokenizers.bert_unicode import category
from course_lib.tokenizers.well_formed import require_well_formed


def published_split(text, lower_case):
    """The same two steps of the library in Rust."""
    text = normalizers.BertNormalizer(lowercase=lower_case).normalize_str(text)
    return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (clean, "a\tb\r\nc\u00a0d\u2028e", "a b  c d e"),
        (clean, "\0a\ufffdb\x07c\u200bd\ue000\u202e", "abcd"),
        (space_chinese, "go東京go ひらカナ 한국", "go 東  京 go ひらカナ 한국"),
        (strip_accents, "Éloïse e\u0301 ß ø שָׁ", "Eloise e ß ø ש"),
        (lower, "ÉΣΑΣ İ", "éσασ i\u0307"),
        (space_punctuation, "a-b$c。«d» ¡é", "a - b $ c 。  « d »   ¡ é"),
    ],
)
def test_each_step(step, before, after):
    assert step(before) == after


def test_all_steps_together():
    assert basic_split("UNwantéd,running") == ["unwanted", ",", "running"]
    assert basic_split("UNwantéd,running", lower_case=False) == ["UNwantéd", ",", "running"]
    assert basic_split(" \t\0") == basic_split("") == []


def every_kind_of_character():
    """All but letters without case, pictures, private and free code points: of those a sample."""
    alike = regex.compile(r"[\p{Lo}\p{So}\p{Co}\p{Cn}]")
    ends = {end + step for block in _CHINESE for end in block for step in (-1, 0, 1)}
    codes = [i for i in range(0x110000) if i % 499 == 0 or i in ends or not alike.match(chr(i))]
    return [chr(i) for i in codes if not 0xD800 <= i < 0xE000]


def test_every_kind_of_character_between_two_letters():
    chars = every_kind_of_character()
    assert len(chars) > 10_000
    text = " ".join(f"a{char}B" for char in chars)
    assert basic_split(text) == published_split(text, lower_case=True)


@given(text=any_text, lower_case=st.booleans())
def test_any_text_as_in_the_published_library(text, lower_case):
    assert basic_split(text, lower_case) == published_split(text, lower_case)


def same_in_all_tables(char):
    in_gap = 0x2B820 <= ord(char) < 0x2B920  # the block that begins at another place
    return category(char) == unicodedata.category(char) != "Cn" and char != "Σ" and not in_gap


@given(text=st.text(st.one_of(st.sampled_from(CURIOUS), st.characters(codec="utf8"))))
def test_any_text_as_in_the_older_python_code_where_the_tables_agree(text):
    text = "".join(filter(same_in_all_tables, text))
    assert basic_split(text) == BasicTokenizer().tokenize(text)


@pytest.mark.parametrize(
    ("text", "ours", "older"),
    [
        ("ΣΟΦΟΣ", ["σοφοσ"], ["σοφος"]),
        ("a\u0378b", ["a\u0378b"], ["ab"]),  # no character has this code point
        ("a\u07fdb", ["a\u07fdb"], ["ab"]),  # a mark of Unicode 11
        ("a\U0002b820b", ["a\U0002b820b"], ["a", "\U0002b820", "b"]),
    ],
)
def test_the_known_differences_to_the_older_python_code(text, ours, older):
    assert basic_split(text) == ours == published_split(text, True)
    assert BasicTokenizer().tokenize(text) == older


@given(text=any_text)
def test_words_hold_no_space_and_splitting_again_changes_nothing(text):
    words = basic_split(text)
    assert all(word and not any(char.isspace() for char in word) for word in words)
    assert basic_split(" ".join(words)) == words


def test_half_a_character_is_refused(as_shipped):
    with pytest.raises(ValueError, match=r"text .* no lone surrogate.*'\\ud83d' at position 2"):
        basic_split("ab\ud83d")
    with pytest.raises(TypeError, match="text must be a str, got bytes"):
        as_shipped(require_well_formed)(b"ab")
