"""What the three ways of training share: the words of a text, counted."""

from collections import Counter
from collections.abc import Iterable

from course_lib.tokenizers.pretokenize import SpecialTokens, pieces, well_formed


def word_counts(
    texts: Iterable[str | bytes],
    pattern: str | None,
    special_tokens: Iterable[str] = (),
    byte_order: bytes = bytes(range(256)),
) -> Counter[tuple[int, ...]]:
    """Count the words of the texts, each word as the ids of its bytes.

    Args:
        texts: no word goes from one text to the next.
        pattern: where a text is cut into words; None does not cut it.
        special_tokens: are left out, and no word goes across them.
        byte_order: all 256 bytes in the order of their ids; left out, a byte is its own id.
    """
    if len(byte_order) != 256 or len(set(byte_order)) != 256:
        raise ValueError(f"byte_order must hold each of the 256 bytes once, got {byte_order!r}")
    special, counts = SpecialTokens(special_tokens), Counter()
    for text in texts:
        for ordinary in special.split(well_formed(text))[::2]:
            counts.update(pieces(ordinary, pattern))
    ids = {byte: i for i, byte in enumerate(byte_order)}
    raw = {word.encode("utf8", "surrogateescape"): n for word, n in counts.items()}
    return Counter({tuple(ids[byte] for byte in word): n for word, n in raw.items()})
