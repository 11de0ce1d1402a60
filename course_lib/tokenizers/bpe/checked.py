"""What a vocabulary and its merges must be, for every text to have ids and the same ones always."""

import operator
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor


def require_vocabulary(
    vocab: Mapping[int, bytes], merges: Sequence[tuple[bytes, bytes]]
) -> dict[bytes, int]:
    """Look each token's id up, or raise a ValueError that says what does not fit."""
    id_of = {}
    for i, token in vocab.items():
        if type(i) is not int or i < 0 or not isinstance(token, bytes):
            raise ValueError(f"vocab must map ids >= 0 to bytes, got {i!r}: {token!r}")
        if token in id_of:
            raise ValueError(f"vocab must hold {token!r} once, got ids {id_of[token]} and {i}")
        id_of[token] = i
    made = {bytes([byte]) for byte in range(256)}
    if missing := sorted(made - set(id_of)):
        raise ValueError(
            f"vocab must hold all 256 single bytes, {len(missing)} are missing, "
            f"first {missing[0]!r}"
        )
    for rank, (left, right) in enumerate(merges):
        for token in (left, right):
            if token not in made:
                raise ValueError(f"merge {rank} needs {token!r}, which no merge before it makes")
        if left + right in made:
            raise ValueError(f"merge {rank} makes {left + right!r} for the second time")
        if left + right not in id_of:
            raise ValueError(f"merge {rank} makes {left + right!r}, which is not in vocab")
        made.add(left + right)
    return id_of


def special_ids(
    special_tokens: Mapping[str, int] | Iterable[str],
    vocab: Mapping[int, bytes],
    id_of: Mapping[bytes, int],
) -> dict[str, int]:
    """Give each special token its id, or raise a ValueError that names the one that has none."""
    given = special_tokens if isinstance(special_tokens, Mapping) else None
    ids, free = {}, max(vocab) + 1
    for text in special_texts(special_tokens):
        token = _utf8(text)
        i = id_of.get(token, free) if given is None else given[text]
        if type(i) is not int or i < 0 or i in ids.values() or vocab.get(i, token) != token:
            raise ValueError(f"special_tokens: {text!r} needs an id of its own, got {i!r}")
        ids[text], free = i, max(free, i + 1)
    return ids


def special_texts(special_tokens: Iterable[str]) -> list[str]:
    """List each special token once, or raise an error that names what is none."""
    if isinstance(special_tokens, str | bytes):
        raise TypeError(f"special_tokens must be several texts, got the text {special_tokens!r}")
    if not isinstance(special_tokens, Iterable):
        raise TypeError(f"special_tokens must be several texts, got {special_tokens!r}")
    found = list(special_tokens)
    for text in found:
        if not isinstance(text, str) or not text:
            raise ValueError(f"special_tokens must be texts that are not empty, got {text!r}")
    return list(dict.fromkeys(found))


def listed_ids(ids: object) -> list[int]:
    """List ids, or raise an error that names the first that is no whole number."""
    if isinstance(ids, Tensor):
        if ids.ndim != 1:
            raise ValueError(f"ids must have one axis, got shape {tuple(ids.shape)}")
        if ids.numel() and (ids.is_floating_point() or ids.dtype == torch.bool):
            raise TypeError(f"ids must hold whole numbers, got {ids.dtype}")
        return [int(i) for i in ids.tolist()]  # no ids at all are floats to torch
    if not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a list or a tensor of ids, got {type(ids).__name__}")
    return [_whole(i) for i in ids]


def _whole(i: object) -> int:
    """Return an id as an int; True, 1.0 and "1" are none."""
    if type(i) is not int:
        try:
            i = operator.index([] if isinstance(i, bool) else i)
        except TypeError:
            raise TypeError(f"ids must hold whole numbers, got {i!r}") from None
    return i


def _utf8(text: str) -> bytes:
    """Return a special token's bytes."""
    try:
        return text.encode("utf8")
    except UnicodeEncodeError:
        raise ValueError(f"special_tokens must hold no lone surrogate, got {text!r}") from None
