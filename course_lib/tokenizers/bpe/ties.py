"""Which pair comes first when several are equally frequent: a rule that BPE itself leaves open.

Every rule is a key: among pairs with the greatest count, the one with the smallest key is merged.
"""

from collections.abc import Callable, Sequence

Pair = tuple[int, int]

TIE_RULES = ("greatest bytes", "first met", "lowest ids")


def require_tie_rule(tie: object) -> None:
    """Raise a ValueError that names the rules unless this is one of them."""
    if tie not in TIE_RULES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIE_RULES))}, got {tie!r}")


def tie_key(
    tie: str, pair: Pair, tokens: Sequence[bytes], first_place: Callable[[Pair], int]
) -> tuple:
    """Return a pair's place in the order of equally frequent pairs; smallest first.

    Args:
        tie: ``greatest bytes`` compares the tokens' bytes as a dictionary would and takes the
            last; ``first met`` takes the pair that comes first in the text as it is now;
            ``lowest ids`` takes the smaller ids, as Hugging Face tokenizers does.
        pair: two ids.
        tokens: the bytes of each id.
        first_place: where a pair is met first; asked only by that rule.
    """
    if tie == "first met":
        return (first_place(pair),)
    if tie == "lowest ids":
        return pair
    return tuple(_descending(tokens[i]) for i in pair)


def _descending(token: bytes) -> tuple[int, ...]:
    """Turn the order of bytes round: b"b" before b"ab" before b"a"."""
    return (*(255 - byte for byte in token), 256)  # the end counts as less than any byte
