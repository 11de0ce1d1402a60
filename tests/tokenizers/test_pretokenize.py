import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    SpecialTokens,
    blocks,
    pieces,
    safe_cut,
    well_formed,
)

TEXT = st.text(st.sampled_from("ab1.,' \n\ts<|>é中\u0301\u00a0\u2028"), max_size=40) | st.text()
PATTERNS = [None, GPT2_PATTERN, r"\w+", r"(a)(b)?", r"x*", r"\p{N}{1,3}| ?\p{L}+|\s+"]
SPECIAL = ["<|", "<|a|>", "<|a|><|", " <", "a b"]


def test_gpt2_pieces():
    text = "Don't  stop at 10%!\n\n"
    assert pieces(text, GPT2_PATTERN) == [
        "Don", "'t", " ", " stop", " at", " 10", "%!", "\n\n"
    ]  # fmt: skip
    assert pieces("naïve 中文 ٣", GPT2_PATTERN) == ["naïve", " 中文", " ٣"]


def test_gaps_are_pieces_too():
    assert pieces("ab, cd!", r"\w+") == ["ab", ", ", "cd", "!"]
    assert pieces("cab", r"(a)(b)?") == ["c", "ab"]
    assert pieces("axb", r"x*") == ["a", "x", "b"]
    assert pieces("two words", None) == ["two words"]
    assert pieces("", None) == pieces("", GPT2_PATTERN) == []


@given(TEXT, st.sampled_from(PATTERNS))
def test_joined_they_are_the_text(text, pattern):
    found = pieces(text, pattern)
    assert "".join(found) == text
    assert "" not in found


@pytest.mark.parametrize("pattern", ["(", r"\p{Nonsense}", "*"])
def test_a_pattern_that_is_none_is_named(pattern):
    with pytest.raises(ValueError, match="pattern must be a regular expression, got"):
        pieces("text", pattern)


def test_the_longest_special_token_wins():
    special = SpecialTokens(["<a>", "<a><a>", "(x|y)*"])
    assert special.split("1<a><a><a>2(x|y)*") == ["1", "<a><a>", "", "<a>", "2", "(x|y)*", ""]
    assert SpecialTokens([]).split("<a>") == ["<a>"]


def test_where_a_special_token_may_have_begun():
    special = SpecialTokens(["<end>", "<end><end>"])
    assert special.first_open("a<en") == 1
    assert special.first_open("a<end>") == 1  # it may yet become the longer one
    assert special.first_open("a<x>") == 4
    assert SpecialTokens(["!"]).first_open("a!") == 2


@given(TEXT, TEXT, st.sampled_from(PATTERNS), st.lists(st.sampled_from(SPECIAL), unique=True))
def test_a_safe_cut_is_safe_whatever_follows(start, rest, pattern, texts):
    special = SpecialTokens(texts)
    cut = safe_cut(start, pattern, special)
    text = start + rest
    assert parts(text[:cut], pattern, special) + parts(text[cut:], pattern, special) == parts(
        text, pattern, special
    )


def parts(text, pattern, special):
    found = []
    for i, part in enumerate(special.split(text)):
        found += [(True, part)] if i % 2 else [(False, p) for p in pieces(part, pattern)]
    return found


def test_a_cut_is_found_as_late_as_it_may_be():
    none = SpecialTokens([])
    assert safe_cut("one two  three fo", GPT2_PATTERN, none) == len("one two  three")
    assert safe_cut("one", GPT2_PATTERN, none) == 0
    assert safe_cut("one two", None, none) == 0
    assert safe_cut("one <e>two", None, SpecialTokens(["<e>"])) == len("one <e>")
    assert safe_cut("one two<", GPT2_PATTERN, SpecialTokens(["<e>"])) == 3


def test_blocks_come_while_the_stream_is_read():
    read = []

    def stream():
        for i in range(100):
            read.append(i)
            yield "word and "

    some = blocks(stream(), GPT2_PATTERN, SpecialTokens([]), 50)
    assert len(next(some)) > 30
    assert len(read) < 10
    assert "".join(some).endswith("word and ")


def test_a_stream_without_cuts_is_not_searched_again_for_every_text(monkeypatch):
    from course_lib.tokenizers import pretokenize

    looks = []
    monkeypatch.setattr(pretokenize, "safe_cut", lambda text, *_: looks.append(len(text)) or 0)
    assert list(blocks(["x"] * 5000, None, SpecialTokens([]), 10)) == ["x" * 5000]
    assert sum(looks) < 3 * 5000


@given(st.binary())
def test_any_bytes_become_text_and_bytes_again(data):
    assert well_formed(data).encode("utf8", "surrogateescape") == data


def test_text_that_is_none(as_shipped):
    with pytest.raises(ValueError, match=r"no lone surrogate, got '\\ud83d' at position 2"):
        well_formed("ab\ud83d")
    with pytest.raises(TypeError, match="text must be str or bytes, got int"):
        as_shipped(well_formed)(3)


@pytest.mark.parametrize("pattern", [None, GPT2_PATTERN])
def test_no_cut_where_a_special_token_may_still_grow(pattern):
    assert safe_cut("x<a>", pattern, SpecialTokens(["<a>", "<a><b>"])) == 0
    assert safe_cut("x<a>", pattern, SpecialTokens(["<a>"])) == 4


def test_no_cut_inside_what_may_become_a_special_token():
    assert safe_cut("x a b", GPT2_PATTERN, SpecialTokens(["a b c"])) == 1
    assert safe_cut("x a b", GPT2_PATTERN, SpecialTokens([])) == 3


def test_a_pattern_that_searches_from_the_end():
    assert pieces("ab cab", r"(?r)\w+|\s+") == ["ab", " ", "cab"]
