r"""Where a text may be cut before any merge is learnt: split patterns and special tokens.

A merge never crosses a cut, so the pattern decides that no token holds the end of one word and
the start of the next.  Patterns are written for the ``regex`` library, which knows Unicode's
classes: ``\p{L}`` is any letter of any script, ``\p{N}`` any digit.
"""

import functools
from collections.abc import Iterable, Iterator

import regex

from course_lib.tokenizers.well_formed import require_well_formed

# Source: Radford et al. 2019, the published encoder.py of GPT-2.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Where a stream may be cut before the rest of it is known: the pieces left of such a place are
# the same whatever follows.  No piece of GPT-2's goes on from a visible character to a space.
SAFE_CUTS = {GPT2_PATTERN: r"(?<=\S)(?=\s)"}


@functools.lru_cache(maxsize=64)
def compiled(pattern: str) -> regex.Pattern:
    """Compile a split pattern once.

    Raises:
        ValueError: if it is no regular expression.
    """
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be text or None, got {type(pattern).__name__}")
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(
            f"pattern must be a regular expression, got {pattern!r}: {error}"
        ) from None


def pieces(text: str, pattern: str | None) -> list[str]:
    """Cut a text into pieces that, joined, are the text again.

    What lies between two matches is kept, as a piece of its own.

    Args:
        text: any text.
        pattern: each match is a piece; None leaves the text whole.
    """
    if pattern is None:
        return [text] if text else []
    matcher = compiled(pattern)
    plain = not matcher.groups and not matcher.flags & regex.REVERSE
    found = matcher.findall(text) if plain else None
    if found is not None and sum(map(len, found)) == len(text) and "" not in found:
        return found
    return _with_gaps(text, matcher)


def _with_gaps(text: str, matcher: regex.Pattern) -> list[str]:
    """Cut like `pieces`, when a pattern leaves something out or matches nothing at all."""
    found, end = [], 0
    # A pattern with (?r) searches from the end.
    for match in sorted(matcher.finditer(text), key=lambda match: match.span()):
        found += [text[end : match.start()], match[0]]
        end = match.end()
    return [piece for piece in (*found, text[end:]) if piece]


class SpecialTokens:
    """Texts that are one token each, such as ``<|endoftext|>``; the longest one wins."""

    def __init__(self, texts: Iterable[str]):
        self.texts = sorted(texts, key=len, reverse=True)
        alternatives = "|".join(regex.escape(text) for text in self.texts)
        self._matcher = regex.compile(f"({alternatives})") if self.texts else None

    def split(self, text: str) -> list[str]:
        """Cut a text into ordinary text (even places) and special tokens (odd places)."""
        return self._matcher.split(text) if self._matcher else [text]

    def first_open(self, text: str) -> int:
        """Find the first place from which the text's end could be a special token's beginning."""
        longest = len(self.texts[0]) if self.texts else 0
        for start in range(max(0, len(text) - longest + 1), len(text)):
            tail = text[start:]
            if any(special.startswith(tail) and special != tail for special in self.texts):
                return start
        return len(text)


def safe_cut(text: str, pattern: str | None, special_tokens: SpecialTokens) -> int:
    """Find the last place where the beginning of a longer text may be cut.

    Returns:
        How many characters may be encoded now.  With a pattern whose safe places are not known,
        only a special token ends such a beginning.
    """
    limit = special_tokens.first_open(text)
    *before, last = special_tokens.split(text)
    start = sum(map(len, before))
    if start > limit:
        return 0
    if pattern not in SAFE_CUTS:
        return start
    # (?r) searches from the end; it must see the character after the cut, hence the + 1.
    place = compiled("(?r)" + SAFE_CUTS[pattern]).search(last, 0, limit - start + 1)
    return start + place.start() if place else start


def blocks(
    texts: Iterable[str], pattern: str | None, special_tokens: SpecialTokens, size: int
) -> Iterator[str]:
    """Join a stream of texts to blocks of about ``size`` characters that may be encoded alone.

    A block grows beyond that when it holds no place where it may be cut.
    """
    waiting, length, enough = [], 0, size
    for text in texts:
        waiting.append(well_formed(text))
        length += len(text)
        if length < enough:
            continue
        block = "".join(waiting)
        cut = safe_cut(block, pattern, special_tokens)
        if cut:
            yield block[:cut]
        waiting, length = [block[cut:]], len(block) - cut
        enough = max(size, 2 * length)  # doubling: a text without cuts is not searched for ever
    yield "".join(waiting)


def well_formed(text: str | bytes) -> str:
    """Return a text that can be cut and turned into bytes again exactly.

    Bytes that are not UTF-8 become lone surrogates, Python's ``surrogateescape``: one for each
    byte, and the way back is exact.

    Raises:
        ValueError: if a str already holds a lone surrogate: it stands for no character, and
            UTF-8 has no bytes for it.
    """
    if isinstance(text, bytes):
        return text.decode("utf8", "surrogateescape")
    if not isinstance(text, str):
        raise TypeError(f"text must be str or bytes, got {type(text).__name__}")
    return require_well_formed(text)
