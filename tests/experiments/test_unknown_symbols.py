"""Shares of what a vocabulary does not know, by counting on texts of a few letters."""

import pytest

from course_lib.experiments.unknown_symbols import any_text, unknown_by_length, unknown_share


@pytest.mark.parametrize(
    ("unit", "share"),
    [("words", 2 / 3), ("characters", 2 / 6), ("bytes", 0)],
)
def test_shares(unit, share):
    # The pieces are "ab", " cé" and "!"; the first text has "abc" and "!" alone.
    assert unknown_share("abc!", "ab cé!", unit) == pytest.approx(share)


def test_only_the_bytes_that_were_seen():
    # é is two bytes, and neither is in the first text.
    assert unknown_share("abc", "abé", "bytes", all_bytes=False) == 2 / 4
    assert unknown_share("abc", "abé", "bytes") == 0


def test_empty_text_and_other_units_are_refused():
    with pytest.raises(ValueError, match="text must not be empty"):
        unknown_share("abc", "", "characters")
    with pytest.raises(ValueError, match="words, characters, bytes, got 'tokens'"):
        unknown_share("abc", "abc", "tokens")


def test_a_longer_text_leaves_less_unknown():
    found = unknown_by_length("a b c d e f", "a c f x", [1, 5, 11])
    assert found.lengths == [1, 5, 11]
    # " " and a, c, f, x: the space is met with the second length
    assert found.shares["characters"] == [6 / 7, 2 / 7, 1 / 7]
    assert found.shares["words"] == [3 / 4, 2 / 4, 1 / 4]
    assert found.shares["bytes"] == [0, 0, 0]


def test_any_text_is_text_from_everywhere():
    text = any_text(3000, seed=1)
    text.encode("utf8")  # no lone surrogate
    assert len(text) == 3000 and text == any_text(3000, seed=1) != any_text(3000, seed=2)
    assert {len(c.encode("utf8")) for c in text} >= {3, 4}
    assert max(map(ord, text)) > 0x100000
