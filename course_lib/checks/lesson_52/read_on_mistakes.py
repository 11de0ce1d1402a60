"""What a head does that reads on from a cache with a wrong offset, or several."""

import math
from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor

from course_lib.checks.mistakes import Mistake

_START = {
    "at the last seen": (
        lambda seen: seen - 1,
        "The first new token gets the place of the last one seen. Places are counted from 0: with "
        "2 tokens seen, which are taken?",
    ),
    "right": (lambda seen: seen, ""),
    "one too far": (
        lambda seen: seen + 1,
        "You leave out a place: with 2 tokens seen, places 0 and 1 are taken, and 2 is free.",
    ),
    "from 0 again": (
        lambda seen: 0,
        "The new tokens are numbered from 0 again, as if nothing had been seen.",
    ),
}
_EDGE = {
    "from the first key": (
        lambda seen: 0,
        "Row i of your mask sees the first i + 1 keys of the *cache*. The token of row i stands "
        "behind all of them.",
    ),
    "right": (lambda seen: seen, ""),
    "not itself": (
        lambda seen: seen - 1,
        "A new token of yours does not see itself. The mask's edge is one place too early.",
    ),
    "the next one too": (
        lambda seen: seen + 1,
        "Each token sees one that comes behind it. The mask's edge is one place too late.",
    ),
    "none": (
        None,
        "Without a mask a new token sees the new ones behind it. With one new token there are "
        "none, and the mask can go; with several it cannot.",
    ),
}


def _reader(start: Callable[[int], int], edge: Callable[[int], int] | None,
            join: Callable[[Tensor, Tensor], Tensor] = lambda old, new: torch.cat([old, new]),
            kept: Callable[[Tensor, Tensor], Tensor] | None = None, root: bool = True):  # fmt: skip
    """A head that reads on, with its first place, its mask's edge, and what it keeps."""

    def wrong(x, positions, w_q, w_k, w_v, keys, values):
        seen, new = len(keys), len(x)
        x = x + positions[torch.arange(new) + start(seen)]
        k, v = x @ w_k, x @ w_v
        all_keys, all_values = join(keys, k), join(values, v)
        scores = (x @ w_q) @ all_keys.T / (math.sqrt(k.shape[-1]) if root else 1)
        if edge is not None:
            visible = torch.ones(new, seen + new, dtype=torch.bool).tril(edge(seen))
            scores = scores.masked_fill(~visible, -torch.inf)
        mix = torch.softmax(scores, dim=-1) @ all_values
        if kept is None:
            return mix, all_keys, all_values
        return mix, kept(keys, k), kept(values, v)

    return wrong


def _offsets():
    """Every mixture of a first place and an edge, but the right one and the one as given."""
    for start, edge in product(_START, _EDGE):
        (begin, why), (cut, also) = _START[start], _EDGE[edge]
        if why or also:
            yield Mistake(
                f"places {start}, mask {edge}",
                _reader(begin, cut),
                " ".join(filter(None, (why, also))),
            )


def _same(seen: int) -> int:
    return seen


MISTAKES = (
    *_offsets(),
    Mistake(
        "cache not grown",
        _reader(_same, _same, kept=lambda old, new: old),
        "The mix is right, but you return the cache as it came. The next tokens need the new keys "
        "and values as well.",
    ),
    Mistake(
        "new ones alone kept",
        _reader(_same, _same, kept=lambda old, new: new),
        "The mix is right, but you return the new keys and values alone, and the old ones are "
        "lost.",
    ),
    Mistake(
        "new ones in front",
        _reader(_same, _same, join=lambda old, new: torch.cat([new, old])),
        "You put the new keys in front of the old ones. The mask takes the order of the keys for "
        "the order of the text.",
    ),
    Mistake(
        "no root",
        _reader(_same, _same, root=False),
        "Both offsets are right. The root of `d_head` was not one of the faults: put it back.",
    ),
)
