"""How much of a new text a vocabulary has never seen: words, characters and bytes."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.tokenizers.pretokenize import GPT2_PATTERN, pieces

SURROGATES = range(0xD800, 0xE000)  # code points that stand for no character
UNITS: dict[str, Callable[[str], Iterable]] = {
    "words": lambda text: pieces(text, GPT2_PATTERN),
    "characters": list,
    "bytes": lambda text: text.encode("utf8"),
}


def unknown_share(train: str, text: str, unit: str, *, all_bytes: bool = True) -> float:
    """Return the share of a text's symbols that a vocabulary does not have.

    Args:
        train: the vocabulary holds each symbol that stands in this text.
        text: another text.
        unit: ``words`` (pieces of GPT-2's pattern), ``characters`` or ``bytes``.
        all_bytes: with ``bytes``, all 256 are in the vocabulary, seen or not.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, got {unit!r}")
    symbols = list(UNITS[unit](text))
    if not symbols:
        raise ValueError("text must not be empty, got ''")
    known = set(range(256)) if unit == "bytes" and all_bytes else set(UNITS[unit](train))
    return sum(symbol not in known for symbol in symbols) / len(symbols)


@dataclass(frozen=True)
class Unknown:
    """The share of a held-out text that is unknown, by the length of the training text.

    Units:
        lengths in characters; shares from 0 to 1, one for each length.
    """

    lengths: list[int]
    shares: dict[str, list[float]]


def unknown_by_length(train: str, held_out: str, lengths: Sequence[int]) -> Unknown:
    """Measure all three units on longer and longer beginnings of the training text."""
    require_whole(1, **{f"lengths[{i}]": n for i, n in enumerate(lengths)})
    shares = {u: [unknown_share(train[:n], held_out, u) for n in lengths] for u in UNITS}
    return Unknown(list(lengths), shares)


def any_text(n_characters: int, seed: int) -> str:
    """Draw characters from all of Unicode, those not yet assigned among them."""
    dice, drawn = random.Random(seed), []
    while len(drawn) < n_characters:
        point = dice.randrange(0x110000)
        if point not in SURROGATES:
            drawn.append(chr(point))
    return "".join(drawn)
