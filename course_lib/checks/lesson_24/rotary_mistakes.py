"""What goes wrong when queries and keys are turned: pairs, signs, frequencies, positions."""

import math

import torch

from course_lib.checks.mistakes import Mistake


def _angles(x, position_ids, base, exponent=1.0):
    d = x.shape[-1]
    theta = float(base) ** (-exponent * torch.arange(0, d, 2, dtype=torch.float64) / d)
    return position_ids[:, None] * theta


def _turned(first, second, angles):
    c, s = angles.cos(), angles.sin()
    return first * c - second * s, first * s + second * c


def _interleaved(first, second):
    return torch.stack([first, second], dim=-1).flatten(-2)


def _by(angles):
    """The right rotation by other angles."""

    def wrong(x, position_ids, base):
        return _interleaved(
            *_turned(x[..., 0::2], x[..., 1::2], angles(x, position_ids, base))
        ).to(x.dtype)

    return wrong


def _each(pair):
    """Something else done with each pair, at the right angles."""

    def wrong(x, position_ids, base):
        angles = _angles(x, position_ids, base)
        return _interleaved(*pair(x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()))

    return wrong


def _halves(x, position_ids, base):
    return torch.cat(_turned(*x.chunk(2, dim=-1), _angles(x, position_ids, base)), dim=-1)


def _laid_end_to_end(x, position_ids, base):
    turned = _turned(x[..., 0::2], x[..., 1::2], _angles(x, position_ids, base))
    return torch.cat(turned, dim=-1)


def _adds_sinusoid(x, position_ids, base):
    angles = _angles(x, position_ids, base)
    return x + _interleaved(angles.sin(), angles.cos())


def _own_count(x, position_ids, base):
    return _angles(x, torch.arange(x.shape[-2]), base)


MISTAKES = (
    Mistake(
        "halves in place of neighbours",
        _halves,
        "You pair entry 0 with entry d/2, and so on. Many released models do, but their weights "
        "were trained that way; here neighbours are a pair: 0 with 1, 2 with 3.",
    ),
    Mistake(
        "laid end to end",
        _laid_end_to_end,
        "You split into neighbours, but put all first entries before all second ones at the end. "
        "Each turned pair belongs where it came from: stack on a new last axis, then flatten.",
    ),
    Mistake(
        "turns backwards",
        _by(lambda x, p, base: -_angles(x, p, base)),
        "Your pairs turn the other way. At a quarter turn (1, 0) has to become (0, 1): which of "
        "your two sines needs the minus?",
    ),
    Mistake(
        "both signs are plus",
        _each(lambda a, b, c, s: (a * c + b * s, a * s + b * c)),
        "Both of your sines carry a plus. Does a vector keep its length then? Try (1, 1).",
    ),
    Mistake(
        "sine and cosine swapped",
        _each(lambda a, b, c, s: (a * s - b * c, a * c + b * s)),
        "At position 0 nothing may change. What does yours make of the pair (1, 0) there?",
    ),
    Mistake(
        "cosines alone",
        _each(lambda a, b, c, s: (a * c, b * c)),
        "You multiply by the cosines and leave it at that. A rotation mixes the two entries of a "
        "pair.",
    ),
    Mistake(
        "the position's vector is added",
        _adds_sinusoid,
        "You add sines and cosines to x, as the first transformer does. Rotary adds nothing: it "
        "turns what is there.",
    ),
    Mistake(
        "exponent too small",
        _by(lambda x, p, base: _angles(x, p, base, exponent=0.5)),
        "Your frequencies fall too slowly: the exponent of pair i is -i/d. With i counting pairs "
        "from 0 to d/2 - 1 it has to be -2i/d.",
    ),
    Mistake(
        "exponent too large",
        _by(lambda x, p, base: _angles(x, p, base, exponent=2.0)),
        "Your frequencies fall too fast. `torch.arange(0, d, 2)` is 2i already: is it doubled "
        "once more, or divided by d/2?",
    ),
    Mistake(
        "exponent without its minus",
        _by(lambda x, p, base: _angles(x, p, base, exponent=-1.0)),
        "Your frequencies grow from pair to pair, up to nearly `base` radians a position. The "
        "exponent needs a minus: later pairs turn more slowly.",
    ),
    Mistake(
        "one angle for all",
        _by(lambda x, p, base: _angles(x, p, base)[:, :1]),
        "All your pairs turn by the same angle. Then positions one full turn apart look alike; "
        "each pair needs a frequency of its own.",
    ),
    Mistake(
        "pairs in reverse order",
        _by(lambda x, p, base: _angles(x, p, base).flip(-1)),
        "Your first pair is the slowest. Pair 0 has frequency 1; what is base to the power 0?",
    ),
    Mistake(
        "counts from one",
        _by(lambda x, p, base: _angles(x, p + 1, base)),
        "Your positions are one too large. Position 0 is not turned at all.",
    ),
    Mistake(
        "counts for itself",
        _by(_own_count),
        "You number the rows 0, 1, 2 and so on. Which positions they have stands in "
        "`position_ids`: with padding on the left, or with a cache, they start elsewhere.",
    ),
    Mistake(
        "base is a constant",
        _by(lambda x, p, base: _angles(x, p, 10_000.0)),
        "All is right for base 10,000. Is that number written into the function?",
    ),
    Mistake(
        "frequencies taken for turns",
        _by(lambda x, p, base: 2 * math.pi * _angles(x, p, base)),
        "There is a factor of 2 pi too much: pair 0 turns by one radian a position, not by one "
        "turn.",
    ),
)
