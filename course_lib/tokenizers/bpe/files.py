"""A tokenizer as one JSON file that a person can read: tokens are written in visible characters."""

import json
from collections.abc import Mapping, Sequence

from course_lib.tokenizers.byte_alphabet import from_visible, visible

FORMAT = "course_lib.bpe"
VERSION = 1


def to_json(
    id_of: Mapping[bytes, int],
    merges: Sequence[tuple[bytes, bytes]],
    special_tokens: Mapping[str, int],
    pattern: str | None,
) -> str:
    """Write a tokenizer's parts as a text."""
    described = {
        "format": FORMAT,
        "version": VERSION,
        "pattern": pattern,
        "special_tokens": dict(special_tokens),
        "vocab": {visible(token): i for token, i in id_of.items()},
        "merges": [[visible(left), visible(right)] for left, right in merges],
    }
    return json.dumps(described, ensure_ascii=False, indent=0)


def from_json(
    data: bytes, name: str
) -> tuple[dict[int, bytes], list, dict[str, int], str | None]:
    """Read vocabulary, merges, special tokens and pattern from what `to_json` wrote, in UTF-8.

    Args:
        name: what errors call the text.

    Raises:
        ValueError: if the text is not whole, or not written by `to_json`.
    """
    if not data:
        raise ValueError(f"{name} is empty: 0 bytes")
    if not data.startswith(b"{"):
        raise ValueError(f"{name} is no tokenizer file: it starts with {data[:12]!r}")
    try:
        found = json.loads(data.decode("utf8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is truncated or damaged: {error}") from None
    if found.get("format") != FORMAT:
        raise ValueError(f"{name} is JSON, but not written as a {FORMAT}: {sorted(found)[:4]}")
    if found.get("version") != VERSION:
        raise ValueError(f"{name} has version {found.get('version')!r}, needed is {VERSION}")
    try:
        vocab = {i: from_visible(text) for text, i in found["vocab"].items()}
        if len(vocab) != len(found["vocab"]):
            raise ValueError("two tokens have the same id")
        merges = [(from_visible(left), from_visible(right)) for left, right in found["merges"]]
        return vocab, merges, dict(found["special_tokens"]), found["pattern"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} is damaged: {error!r}") from error
