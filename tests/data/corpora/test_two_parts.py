import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.corpora.two_parts import (
    About,
    Corpus,
    cut_at_line,
    is_held_out,
    repeated_share,
    shorten,
)

LINES = b"".join(b"a line of the text, number %d\n" % i for i in range(1000))


def test_each_part_must_hold_text():
    with pytest.raises(ValueError, match="train must not be empty: x gave no text"):
        Corpus("x", "y", "z", b"", b"abc")
    with pytest.raises(ValueError, match="validation must not be empty"):
        Corpus("x", "y", "z", b"abc", b"")


def test_bytes_not_characters(unchecked):
    with pytest.raises(TypeError, match="train must be bytes, got str"):
        Corpus("x", "y", "z", "abc", b"abc")


def test_where_it_comes_from_stays_with_it():
    about = About("n", "a", "l", "s", "by a, l", "here", 3)
    corpus = about.corpus(b"ab", b"c").at_most(1000)
    assert (corpus.name, corpus.licence, corpus.source) == ("n", "l", "s")
    assert corpus.attribution == "by a, l"


def test_the_text_is_not_printed():
    said = repr(Corpus("Plays", "public domain", "z", LINES, b"secret\n"))
    assert "secret" not in said and len(said) < 120
    assert f"'Plays': {len(LINES):,} bytes to train on, 7 held out; public domain" in said


def test_at_most_keeps_whole_lines_and_the_same_shares():
    corpus = Corpus("x", "y", "z", LINES, LINES).at_most(10_000)
    assert 8_900 < len(corpus.train) <= 9_000 and 900 < len(corpus.validation) <= 1_000
    assert LINES.startswith(corpus.train) and corpus.train.endswith(b"\n")
    assert LINES.startswith(corpus.validation) and corpus.validation.endswith(b"\n")
    with pytest.raises(ValueError, match="max_bytes must be a whole number >= 1000, got 999"):
        corpus.at_most(999)


def test_at_most_with_room_changes_nothing():
    corpus = Corpus("x", "y", "z", b"cut in the mid", b"dle\n")
    assert corpus.at_most(10**9) == corpus


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1),
       st.integers(4, 60))
def test_one_long_line_is_cut_between_characters(text, limit):
    raw = text.encode("utf8")
    short = shorten(raw, limit)
    assert short and text.startswith(short.decode("utf8"))
    assert len(short) <= limit and len(short) >= min(len(raw), limit - 3)


def test_cut_at_line():
    assert cut_at_line(b"ab\ncd", 6) == b"ab\ncd\n"
    assert cut_at_line(b"ab\ncd\n", 5) == b"ab\n"
    assert cut_at_line(b"ab\ncd\n", 2) == cut_at_line(b"ab\n", 0) == cut_at_line(b"ab\n", -1) == b""


def test_one_in_ten_is_held_out_and_never_another():
    names = [f"piece {i}" for i in range(20_000)]
    assert 0.09 < sum(map(is_held_out, names)) / len(names) < 0.113  # 26 / 256 = 0.1016
    assert [name for name in names[:40] if is_held_out(name)] == ["piece 12", "piece 27"]


def test_repeated_lines_are_counted_where_they_are_long():
    long, other, short = b"a line of more than twenty", b"another one of the same kind", b"return"
    validation = b"\n".join([long, other, short])
    assert Corpus("x", "y", "z", b"\n".join([long, short]), validation).repeated() == 0.5
    assert Corpus("x", "y", "z", b"none of it", validation).repeated() == 0.0
    assert repeated_share(b"  " + long + b"\r\n", {long}) == 1.0
    assert repeated_share(short, {short}) == 0.0


def test_a_budget_is_whole(unchecked):
    with pytest.raises(TypeError, match="max_bytes must be a whole number, got 1500.5"):
        Corpus("a", "b", "c", LINES, LINES).at_most(1500.5)
