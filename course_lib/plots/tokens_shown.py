r"""Tokens of bytes as text that can be seen: characters where they are whole, else ``\xc3``."""

import unicodedata
from collections.abc import Callable, Iterable

_MARKS = {" ": "␣", "\n": "↵", "\t": "⇥"}
# Assigned as marks or letters, but nothing is drawn for them: variation selectors, fillers ...
_UNDRAWN = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}  # fmt: skip


def shown(token: bytes, drawable: Callable[[str], bool] = lambda character: True) -> str:
    r"""Write a token so that every byte is seen.

    Args:
        token: any bytes, whole characters or parts of them.
        drawable: whether there is a picture of a character; if not, its bytes are written.

    Example:
        >>> shown(b" caf\xc3"), shown("é".encode())
        ('␣caf\\xc3', 'é')
    """
    text, i, lone = "", 0, True  # lone: a combining mark would have no letter below it
    while i < len(token):
        character = _character_at(token, i)
        raw = character.encode("utf8") if character else token[i : i + 1]
        seen = bool(character) and _is_seen(character) and drawable(character)
        if seen:
            alone = lone and unicodedata.category(character)[0] == "M"
            text += "◌" * alone + character
        elif character in _MARKS:
            text += _MARKS[character]
        else:
            text += "".join(f"\\x{byte:02x}" for byte in raw)
        lone = not seen
        i += len(raw)
    return text


def written(tokens: Iterable[bytes], between: str = "  ") -> str:
    """Write tokens side by side; a space that belongs to a token is seen as ␣.

    Example:
        >>> written([b"the", b" cat", b"s"])
        'the  ␣cat  s'
    """
    return between.join(map(shown, tokens))


def _character_at(token: bytes, i: int) -> str | None:
    for length in range(1, 5):
        try:
            return token[i : i + length].decode("utf8")
        except UnicodeDecodeError:
            continue
    return None


def _is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ" and ord(character) not in _UNDRAWN
