"""Compression: what coding by frequency, gzip and xz make of a text.

All numbers here are bits for each byte of the same text, and every method may first read the
same earlier text (it is "primed" with it).  Shorter is better; 8 is no compression at all.
"""

import lzma
import math
import zlib
from collections import Counter

from course_lib.data.byte_ids import N_BYTES

GZIP_WINDOW = 32 * 1024  # bytes; the method cannot look back further


def frequency_bits_per_byte(text: bytes, primed_with: bytes) -> float:
    """Code each byte by how often it occurs in the earlier text, whatever stands before it.

    One is added to every count, so that a byte never seen before still has a code.
    """
    _require_text(text, primed_with)
    counts = Counter(primed_with)
    total = len(primed_with) + N_BYTES
    bits = (times * math.log2(total / (counts[byte] + 1)) for byte, times in Counter(text).items())
    return sum(bits) / len(text)


def gzip_bits_per_byte(text: bytes, primed_with: bytes = b"") -> float:
    """Compress with DEFLATE, gzip's method, at its highest level.

    Primed with the last 32 kB of the earlier text, as a preset dictionary: the method cannot
    look back further.  The file header (18 bytes) is left out.
    """
    _require_text(text, primed_with)
    dictionary = primed_with[-GZIP_WINDOW:]
    given = {"zdict": dictionary} if dictionary else {}
    coder = zlib.compressobj(level=9, method=zlib.DEFLATED, wbits=-15, memLevel=9, **given)
    return 8 * len(coder.compress(text) + coder.flush()) / len(text)


def xz_bits_per_byte(text: bytes, primed_with: bytes = b"") -> float:
    """Compress with LZMA2, xz's method, at its highest level.

    The method takes no preset dictionary, so what is counted is how much longer the compressed
    earlier text becomes when this one follows it.  Its window covers both.
    """
    _require_text(text, primed_with)
    window = max(4096, len(primed_with) + len(text))
    longer = _lzma_length(primed_with + text, window)
    return 8 * (longer - _lzma_length(primed_with, window)) / len(text)


def _lzma_length(text: bytes, window: int) -> int:
    """Compress without a file header and count."""
    preset = 9 | lzma.PRESET_EXTREME
    filters = [{"id": lzma.FILTER_LZMA2, "preset": preset, "dict_size": window}]
    return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=filters))


def _require_text(text: object, primed_with: object = b"") -> None:
    """Raise unless both are bytes and there is something to code."""
    for name, given in (("text", text), ("primed_with", primed_with)):
        if not isinstance(given, bytes):
            raise TypeError(f"{name} must be bytes, got {type(given).__name__}")
    if not text:
        raise ValueError("text must not be empty, got 0 bytes")
