"""What a head does that reads on from a cache with a wrong offset, or several."""

import math
from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor

from course_lib.checks.mistakes import Mistake

_START = {
    "at the last seen": (
        lambda seen, new: seen - 1,
        "The first new token gets the place of the last one seen. Places are counted from 0: with "
        "2 tokens seen, which are taken?",
    ),
    "right": (lambda seen, new: seen, ""),
    "one too far": (
        lambda seen, new: seen + 1,
        "You leave out a place: with 2 tokens seen, places 0 and 1 are taken, and 2 is free.",
    ),
    "at the last seen, but not before 0": (
        lambda seen, new: (torch.arange(new) + seen - 1).clamp(min=0),
        "You keep -1 from reaching the end of the table. But the place is still that of the token "
        "before: with 2 tokens seen, which are taken?",
    ),
    "from 0 again": (
        lambda seen, new: 0,
        "The new tokens are numbered from 0 again, as if nothing had been seen.",
    ),
}
_EDGE = {
    "from the first key": (
        lambda seen, new: 0,
        "Row i of your mask sees the first i + 1 keys of the *cache*. The token of row i stands "
        "behind all of them.",
    ),
    "right": (lambda seen, new: seen, ""),
    "not itself": (
        lambda seen, new: seen - 1,
        "A new token of yours does not see itself. The mask's edge is one place too early.",
    ),
    "the next one too": (
        lambda seen, new: seen + 1,
        "Each token sees one that comes behind it. The mask's edge is one place too late.",
    ),
    "by the new ones": (
        lambda seen, new: new,
        "You move the mask's edge by the number of the *new* tokens. How many keys stand before "
        "the first of them?",
    ),
    "none": (
        None,
        "Without a mask a new token sees the new ones behind it. With one new token there are "
        "none, and the mask can go; with several it cannot.",
    ),
}


def _places(start: int | Tensor, new: int) -> Tensor:
    """All places, or those from the first on."""
    return start if isinstance(start, Tensor) else torch.arange(new) + start


def _reader(start: Callable[[int, int], int | Tensor], edge: Callable[[int, int], int] | None,
            join: Callable[[Tensor, Tensor], Tensor] = lambda old, new: torch.cat([old, new]),
            kept: Callable[[Tensor, Tensor], Tensor] | None = None, root: bool = True):  # fmt: skip
    """A head that reads on, with its first place, its mask's edge, and what it keeps."""

    def wrong(x, positions, w_q, w_k, w_v, keys, values):
        seen, new = len(keys), len(x)
        x = x + positions[_places(start(seen, new), new)]
        k, v = x @ w_k, x @ w_v
        all_keys, all_values = join(keys, k), join(values, v)
        scores = (x @ w_q) @ all_keys.T / (math.sqrt(k.shape[-1]) if root else 1)
        if edge is not None:
            visible = torch.ones(new, seen + new, dtype=torch.bool).tril(edge(seen, new))
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


def _same(seen: int, new: int) -> int:
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
        "keys and values change places",
        lambda *given: (lambda mix, keys, values: (mix, values, keys))(
            *_reader(_same, _same)(*given)
        ),
        "The mix is right, but you return the values before the keys.",
    ),
    Mistake(
        "no root",
        _reader(_same, _same, root=False),
        "Both offsets are right. The root of `d_head` was not one of the faults: put it back.",
    ),
)
