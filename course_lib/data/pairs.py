"""Pairs of sentences: did the second follow the first (NSP), are they in order (SOP)?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from course_lib.config import require_number

OTHER_TEXT, SAME_TEXT = NEGATIVES = ("another text", "the same text")
_TRIES = 1000  # to find a stranger; so many failures mean that there is none


@dataclass(frozen=True)
class SentencePair:
    """Two sentences and their label: 0 as they should be, 1 not (BERT's own numbering)."""

    first: Any
    second: Any
    label: int


def next_sentence_pairs(
    texts: Sequence[Sequence[Any]],
    generator: torch.Generator,
    *,
    negatives: str = OTHER_TEXT,
    share: float = 0.5,
) -> list[SentencePair]:
    """Pair every sentence but the last of its text with the next one, or with a stranger.

    Label 1 says that the second sentence does not follow.  A random sentence that happens to
    read the same as the true one is drawn again.

    Args:
        texts: each a list of sentences (strings, ids, anything that can be compared).
        generator: source of all draws.
        negatives: where the strangers come from.  From another text, as in BERT, its topic may
            give it away; from the same text, order and content must.
        share: the probability of a stranger.

    Raises:
        ValueError: if there is no sentence to be a stranger, or nothing to pair.

    Source:
        Devlin et al. 2019, section 3.1, task 2.
    """
    _require_texts(texts)
    if negatives not in NEGATIVES:
        raise ValueError(f"negatives must be one of {NEGATIVES}, got {negatives!r}")
    require_number(share=share)
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie from 0 to 1, got {share}")
    pairs = []
    for t, text in enumerate(texts):
        for i in range(len(text) - 1):
            strange = torch.rand((), generator=generator).item() < share
            second = _stranger(texts, t, i, negatives, generator) if strange else text[i + 1]
            pairs.append(SentencePair(text[i], second, int(strange)))
    return pairs


def sentence_order_pairs(
    texts: Sequence[Sequence[Any]], generator: torch.Generator
) -> list[SentencePair]:
    """Take all neighbours of each text, and swap half of the pairs at random; label 1 if swapped.

    Both sentences come from one place, so a topic tells nothing.

    Source:
        Lan et al. 2020 (ALBERT), section 3.1, inter-sentence coherence loss.
    """
    _require_texts(texts)
    pairs = []
    for text in texts:
        for pair in zip(text, text[1:], strict=False):
            swapped = torch.rand((), generator=generator).item() < 0.5
            first, second = reversed(pair) if swapped else pair
            pairs.append(SentencePair(first, second, int(swapped)))
    return pairs


def _stranger(
    texts: Sequence[Sequence[Any]], t: int, i: int, negatives: str, generator: torch.Generator
) -> Any:
    """A sentence that does not follow sentence i of text t, each equally likely."""
    here, true_next = texts[t], texts[t][i + 1]
    if negatives == SAME_TEXT:
        # Neither the sentence itself nor the one that does follow.
        found = [s for j, s in enumerate(here) if j != i and s != true_next]
        if not found:
            raise ValueError(
                f"texts[{t}] must have a third sentence to be a stranger, got {len(here)}"
            )
        return found[_draw(len(found), generator)]
    for _ in range(_TRIES):
        other = texts[_draw(len(texts), generator)]
        if other is not here and len(other):
            found = other[_draw(len(other), generator)]
            if found != true_next:
                return found
    raise ValueError(f"texts must hold another text than texts[{t}] with other sentences")


def _draw(n: int, generator: torch.Generator) -> int:
    """A whole number below n."""
    return int(torch.randint(n, (), generator=generator))


def _require_texts(texts: object) -> None:
    """Raise unless there is at least one pair of neighbours in the texts."""
    _require_list(texts=texts)
    _require_list(**{f"texts[{k}]": text for k, text in enumerate(texts)})
    if not any(len(text) > 1 for text in texts):
        raise ValueError("texts must hold a text of two sentences or more, got none")


def _require_list(**given: object) -> None:
    """Raise a TypeError that names the first argument that is no list (a string is none)."""
    for name, found in given.items():
        if isinstance(found, str | bytes) or not isinstance(found, Sequence):
            raise TypeError(f"{name} must be a list, got {type(found).__name__}")
