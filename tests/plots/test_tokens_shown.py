import pytest

from course_lib.plots.tokens_shown import shown, written


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b"low", "low"),
        (b" low", "␣low"),
        (b"\n\t", "↵⇥"),
        ("é".encode(), "é"),
        (b"caf\xc3", "caf\\xc3"),
        (b"\xa9", "\\xa9"),
        (b"\xa9t\xc3\xa9", "\\xa9té"),
        ("👩\u200d🚀".encode(), "👩\\xe2\\x80\\x8d🚀"),
        ("e\u0301".encode(), "e\u0301"),
        ("\u0301".encode(), "◌\u0301"),
        (" \u0301".encode(), "␣◌\u0301"),
        ("\u00a0\ufe0f".encode(), "\\xc2\\xa0\\xef\\xb8\\x8f"),
        (b"\x00\x7f", "\\x00\\x7f"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        (b"\xc0\x80\xf5\xff", "\\xc0\\x80\\xf5\\xff"),
        ("مر".encode(), "مر"),
        (b"", ""),
    ],
)
def test_every_byte_is_seen(token, text):
    assert shown(token) == text


def test_characters_without_a_picture_are_bytes():
    assert shown("aé中".encode(), str.isascii) == "a\\xc3\\xa9\\xe4\\xb8\\xad"


def test_tokens_side_by_side():
    assert written([b"It", b"'s", b" caf\xc3"]) == "It  's  ␣caf\\xc3"
    assert written(iter([b"o", b"t"]), "+") == "o+t" and written([]) == ""
