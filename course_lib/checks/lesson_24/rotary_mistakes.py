"""What goes wrong when queries and keys are turned: pairs, signs, frequencies, positions."""

import math
from collections.abc import Sequence

import torch

from course_lib.checks.mistakes import Family, Mistake
from course_lib.checks.run import Case, Ran


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


def _overwritten(x, position_ids, base):
    angles = _angles(x, position_ids, base)
    c, s = angles.cos(), angles.sin()
    first = x[..., 0::2] * c - x[..., 1::2] * s
    return _interleaved(first, first * s + x[..., 1::2] * c)


def _mixed_pairings(partner, angles_of_entries):
    """Each entry times its cosine plus its partner times its sine, in two pairings at once."""

    def wrong(x, position_ids, base):
        angles = angles_of_entries(_angles(x, position_ids, base))
        return x * angles.cos() + partner(x) * angles.sin()

    return wrong


def _rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def _rotate_neighbours(x):
    return _interleaved(-x[..., 1::2], x[..., 0::2])


def _first_pair(x, position_ids, base):
    angles = _angles(x, position_ids, base)
    return _by(lambda *_: torch.cat([angles[:, :1], 0 * angles[:, 1:]], dim=-1))(x, 0, 0)


def _other_exponents(exponents):
    """Frequencies ``base`` to the power of minus these, for a width and a length."""

    def angles(x, position_ids, base):
        seq, d = x.shape[-2:]
        return position_ids[:, None] * float(base) ** -exponents(torch.arange(d // 2), d, seq)

    return _by(angles)


def _rough(x, position_ids, base):
    d = x.shape[-1]
    theta = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float32) / d)
    return _by(lambda *_: position_ids[:, None] * theta)(x, position_ids, base)


def _two_dimensional(x, position_ids, base):
    seq, d = x.shape
    return _by(_angles)(x, position_ids, base)


def _own_count(x, position_ids, base):
    return _angles(x, torch.arange(x.shape[-2]), base)


def _replayed(cases: Sequence[Case], tried: Sequence[Ran]):
    """A function that does in these cases what the learner's did."""
    did = list(zip(cases, tried, strict=True))

    def again(x, position_ids, base):
        same = (ran for case, ran in did if torch.equal(case.inputs["x"], x))
        ran = next(same)
        if ran.error is not None:
            raise ran.error
        return ran.result.values if ran.result is not None else None

    return again


def _right_in(case: Case, ran: Ran, atol: float = 1e-5) -> bool:
    expected = _by(_angles)(*case.copies())
    values = getattr(ran.result, "values", None)
    right_form = values is not None and values.shape == expected.shape
    return right_form and torch.allclose(values.double(), expected.double(), rtol=0, atol=atol)


_ROUGH = (
    "All is right but at position 8191, and there it is slightly off: your angles are worked out "
    "in float32, which has no digits left for them so far out. Make `torch.arange` or the "
    "positions float64, and round the sines and cosines at the end."
)
_TWO_DIMENSIONAL = (
    "Your function is right for x of shape [seq, d]. x may have leading axes as well, batch and "
    "heads: count from the back, as in `x.shape[-1]` and `x[..., 0::2]`."
)


def _fit_rough(cases, tried):
    """Right in the ordinary cases, and nearly right far out."""
    pairs = zip(cases, tried, strict=True)
    close = [_right_in(c, r, 1e-2 if c.extreme else 1e-5) for c, r in pairs]
    return (_replayed(cases, tried), _ROUGH) if all(close) else None


def _fit_two_dimensional(cases, tried):
    """Right for a matrix, and in no other case."""
    pairs = zip(cases, tried, strict=True)
    fits = [_right_in(c, r) == (c.inputs["x"].ndim == 2) for c, r in pairs]
    return (_replayed(cases, tried), _TWO_DIMENSIONAL) if all(fits) else None


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
    Mistake(
        "nothing turned",
        lambda x, p, base: x.clone(),
        "You return x as it came: nothing is turned.",
    ),
    Mistake(
        "written over before it was read",
        _overwritten,
        "Your second entries are built from first entries that are turned already. Keep the old "
        "ones until both new ones are made.",
    ),
    Mistake(
        "halves swapped, angles of neighbours",
        _mixed_pairings(_rotate_half, lambda a: a.repeat_interleave(2, dim=-1)),
        "Two pairings are mixed: your angles are those of neighbours, 0 with 1, but you swap "
        "halves, 0 with d/2. Here neighbours are a pair.",
    ),
    Mistake(
        "neighbours swapped, angles of halves",
        _mixed_pairings(_rotate_neighbours, lambda a: torch.cat([a, a], dim=-1)),
        "Two pairings are mixed: you swap neighbours, 0 with 1, but lay your angles end to end, "
        "as halves need them. Both entries of a pair turn by the same angle.",
    ),
    Mistake(
        "pairs counted from one",
        _other_exponents(lambda i, d, seq: (2 * i + 2).double() / d),
        "Your first pair is too slow: i counts from 0, and base to the power 0 is 1.",
    ),
    Mistake(
        "exponent over the length",
        _other_exponents(lambda i, d, seq: 2 * i.double() / seq),
        "You divide 2i by the length of the text. The exponent is over d, the width of a row.",
    ),
    Mistake(
        "exponent over nothing",
        _other_exponents(lambda i, d, seq: i.double()),
        "Your frequencies fall by the whole base from pair to pair. The exponent is -2i over d.",
    ),
    Mistake(
        "reflected",
        _each(lambda a, b, c, s: (a * c + b * s, a * s - b * c)),
        "Your pairs are reflected, not turned: at position 0 the second entry changes its sign.",
    ),
    Mistake(
        "entries of a pair change places",
        _each(lambda a, b, c, s: (a * s + b * c, a * c - b * s)),
        "The two entries of each pair have changed places. (1, 0) becomes (cos, sin), in this "
        "order.",
    ),
    Mistake(
        "first pair alone",
        _first_pair,
        "Only your first pair is turned.",
    ),
    Mistake(
        "turned twice",
        _by(lambda x, p, base: 2 * _angles(x, p, base)),
        "All your pairs turn by twice their angles. Is the rotation applied to its own result?",
    ),
    Mistake(
        "counts from the first row",
        _by(lambda x, p, base: _angles(x, p - p[0], base)),
        "You subtract the first position. Distances survive that within one text, but a cached "
        "key was turned by its own position: use `position_ids` as they are.",
    ),
    Family(
        "angles in float32",
        _rough,
        _ROUGH,
        _fit_rough,
    ),
    Family(
        "no leading axes",
        _two_dimensional,
        _TWO_DIMENSIONAL,
        _fit_two_dimensional,
    ),
)
