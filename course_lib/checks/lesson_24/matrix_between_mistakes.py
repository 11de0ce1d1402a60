"""What goes wrong when the shift is read off two vectors: one place only, signs, directions."""

import torch

from course_lib.checks.mistakes import Mistake


def _turn(now, later):
    """Cosine and sine of each pair's turn, both [pair]."""
    (s, c), (s2, c2) = (torch.stack([x[0::2], x[1::2]]) for x in (now, later))
    return c2 * c + s2 * s, s2 * c - c2 * s


def _right(c, s):
    return [[c, s], [-s, c]]


def _along_the_diagonal(cos, sin, block=_right):
    blocks = (block(c, s) for c, s in zip(cos, sin, strict=True))
    return torch.block_diag(*(torch.stack([*map(torch.stack, rows)]) for rows in blocks))


def _block(block):
    """Other blocks of the right numbers."""
    return lambda now, later: _along_the_diagonal(*_turn(now, later), block)


def _from(numbers):
    """The right blocks of other cosines and sines, from sine and cosine before and after."""

    def wrong(now, later):
        return _along_the_diagonal(*numbers(now[0::2], now[1::2], later[0::2], later[1::2]))

    return wrong


def _of_angle(angle):
    """The right blocks of an angle that is worked out first."""

    def numbers(s, c, s2, c2):
        b = angle(s, c, s2, c2)
        return b.cos(), b.sin()

    return _from(numbers)


def _halves(now, later):
    c, s = (x.diag() for x in _turn(now, later))
    return torch.cat([torch.cat([c, s], dim=1), torch.cat([-s, c], dim=1)])


def _outer_in_pairs(now, later):
    pairs = zip(now.view(-1, 2), later.view(-1, 2), strict=True)
    return torch.block_diag(*(torch.outer(e, a) for a, e in pairs))


def _stacked(now, later):
    c, s = _turn(now, later)
    return torch.stack([c, s, -s, c], dim=-1).view(-1, 2, 2)


def _only(place):
    """One block of the right matrix, zeros elsewhere."""

    def wrong(now, later):
        keep = torch.zeros(len(now), dtype=now.dtype)
        keep[place] = 1
        return _along_the_diagonal(*_turn(now, later)) * torch.outer(keep, keep)

    return wrong


MISTAKES = (
    Mistake(
        "right at one position",
        lambda now, later: torch.outer(later, now) / (now @ now),
        "Your matrix takes `now` to `later`, and the vector of no other position to where it "
        "belongs. Entries of different pairs must not mix, and each pair has to be turned.",
    ),
    Mistake(
        "outer product",
        lambda now, later: torch.outer(later, now),
        "You return the outer product of the two. It fits one position at most, and up to a "
        "factor. Which matrix turns a pair without changing its length?",
    ),
    Mistake(
        "outer product in each pair",
        _outer_in_pairs,
        "Each of your blocks takes its pair of `now` to that of `later`, but it squeezes every "
        "vector onto one line. A rotation has determinant 1; what is that of your blocks?",
    ),
    Mistake(
        "divided entry by entry",
        lambda now, later: (later / now).nan_to_num(0.0, 0.0, 0.0).diag(),
        "You divide `later` by `now`, entry by entry. That factor is another one at every "
        "position, and sin a may be 0. A turn mixes the two entries of a pair.",
    ),
    Mistake(
        "shifts back",
        _block(lambda c, s: [[c, -s], [s, c]]),
        "Your matrix moves back from `later` to `now`. In each pair the sine stands first here: "
        "which row of the block builds sin(a + b), and where does its plus stand?",
    ),
    Mistake(
        "both signs are plus",
        _block(lambda c, s: [[c, s], [s, c]]),
        "All four entries of your blocks carry a plus. cos(a + b) has a minus: between which "
        "products?",
    ),
    Mistake(
        "two minus signs",
        _block(lambda c, s: [[c, -s], [-s, c]]),
        "Both sines of your blocks carry a minus. sin(a + b) has none; cos(a + b) has one.",
    ),
    Mistake(
        "sine and cosine swapped",
        _block(lambda c, s: [[s, c], [c, -s]]),
        "If `later` equals `now`, the matrix has to change nothing. What stands on your diagonal "
        "then, cos 0 or sin 0?",
    ),
    Mistake(
        "diagonal alone",
        _block(lambda c, s: [[c, 0 * s], [0 * s, c]]),
        "Your matrix keeps sines and cosines apart. sin(a + b) needs both sin a and cos a.",
    ),
    Mistake(
        "angles added",
        _from(lambda s, c, s2, c2: (c2 * c - s2 * s, s2 * c + c2 * s)),
        "Your blocks turn by the sum of the two angles, e + a. You want the turn from a to e.",
    ),
    Mistake(
        "by the later angle",
        _from(lambda s, c, s2, c2: (c2, s2)),
        "Your blocks turn by the angle of `later` itself. That is the way from position 0, and "
        "`now` may stand elsewhere.",
    ),
    Mistake(
        "by the earlier angle",
        _from(lambda s, c, s2, c2: (c, s)),
        "Your blocks turn by the angle of `now` and do not look at `later`.",
    ),
    Mistake(
        "sines and cosines subtracted",
        _from(lambda s, c, s2, c2: (c2 - c, s2 - s)),
        "You subtract cosines and sines. The cosine of a difference of angles is not the "
        "difference of their cosines.",
    ),
    Mistake(
        "arc cosine of the turn",
        _of_angle(lambda s, c, s2, c2: (c2 * c + s2 * s).clamp(-1, 1).arccos()),
        "An arc cosine gives an angle between 0 and half a turn, so yours always moves forward. "
        "The sine of the turn tells the direction.",
    ),
    Mistake(
        "arc cosines subtracted",
        _of_angle(lambda s, c, s2, c2: c2.arccos() - c.arccos()),
        "An arc cosine cannot tell the upper half of the dial from the lower one. Use sine and "
        "cosine together, or no angle at all.",
    ),
    Mistake(
        "arc sines subtracted",
        _of_angle(lambda s, c, s2, c2: s2.arcsin() - s.arcsin()),
        "An arc sine cannot tell the right half of the dial from the left one. Use sine and "
        "cosine together, or no angle at all.",
    ),
    Mistake(
        "arc tangents subtracted",
        _of_angle(lambda s, c, s2, c2: (s2 / c2).arctan() - (s / c).arctan()),
        "The quotient of sine and cosine is the same half a turn further on, so its arc tangent "
        "cannot tell the two apart. `torch.atan2` can.",
    ),
    Mistake(
        "one angle for all",
        _from(lambda s, c, s2, c2: ((c2 * c + s2 * s)[:1].expand(len(s)),
                                    (s2 * c - c2 * s)[:1].expand(len(s)))),
        "All your blocks turn by the first pair's angle. Each pair has a turn of its own.",
    ),
    Mistake(
        "pairs in reverse order",
        lambda now, later: _along_the_diagonal(*(x.flip(0) for x in _turn(now, later))),
        "Your blocks stand in reverse order: the first pair turns by the last one's angle.",
    ),
    Mistake(
        "sines in one half, cosines in the other",
        _halves,
        "Your matrix is for a vector with all sines first and all cosines after them. Here they "
        "alternate: sine and cosine of the same angle are neighbours.",
    ),
    Mistake(
        "blocks stacked",
        _stacked,
        "Your blocks are right, each by itself. Lay them along the diagonal of one matrix: "
        "`torch.block_diag` does that.",
    ),
    Mistake(
        "last block alone",
        _only(slice(-2, None)),
        "Only your last block is filled. Is the matrix made anew in each round of the loop, or "
        "are the indices of the block the same each time?",
    ),
    Mistake(
        "first block alone",
        _only(slice(0, 2)),
        "Only your first block is filled. Does the `return` stand inside the loop?",
    ),
    Mistake(
        "nothing moved",
        lambda now, later: torch.eye(len(now), dtype=now.dtype),
        "You return the identity, which leaves every position where it is.",
    ),
)  # fmt: skip
