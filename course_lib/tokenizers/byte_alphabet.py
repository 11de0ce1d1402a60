"""A visible character for each of the 256 bytes, as GPT-2's published files write them.

Bytes that are visible characters of Latin-1 stand for themselves; the others (the space, the
controls ...) take the characters from U+0100 on, in order.  So a space is written as Ġ.

Source: Radford et al. 2019, ``bytes_to_unicode`` in the published encoder.py of GPT-2.
"""

_VISIBLE = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1),
            *range(ord("®"), ord("ÿ") + 1)]  # fmt: skip
_HIDDEN = [byte for byte in range(256) if byte not in set(_VISIBLE)]

# The order in which GPT-2 numbers the bytes: visible ones first.
GPT2_BYTE_ORDER = bytes(_VISIBLE + _HIDDEN)
CHARACTERS = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(256 + i) for i, byte in enumerate(_HIDDEN)
}
_BYTES = {character: byte for byte, character in CHARACTERS.items()}


def visible(token: bytes) -> str:
    """Write a token's bytes as visible characters."""
    return "".join(CHARACTERS[byte] for byte in token)


def from_visible(text: str) -> bytes:
    """Turn visible characters back into the bytes they stand for.

    Raises:
        ValueError: if a character stands for no byte.
    """
    try:
        return bytes(_BYTES[character] for character in text)
    except KeyError as error:
        raise ValueError(f"{text!r} must hold byte characters alone, got {error}") from None
