"""What goes wrong with layer norm's gradient: a term forgotten, a sum for a mean, a power of s."""

import torch

from course_lib.checks.mistakes import Mistake


def _parts(x, eps, correction=0):
    spread = torch.sqrt(x.var(-1, keepdim=True, correction=correction) + eps)
    return (x - x.mean(-1, keepdim=True)) / spread, spread


def _mean(x):
    return x.mean(-1, keepdim=True)


def _of(formula, correction=0):
    """`formula(u, y, s)` with the upstream gradient, the output and the spread."""

    def wrong(x, upstream, eps):
        return formula(upstream, *_parts(x, eps, correction))

    return wrong


def _with_x(formula):
    """`formula(u, x, y, s)`, for those who take x where y belongs."""

    def wrong(x, upstream, eps):
        return formula(upstream, x, *_parts(x, eps))

    return wrong


def _left(u, y):
    return u - _mean(u) - y * _mean(u * y)


def _outside(x, upstream, eps):
    spread = x.std(-1, keepdim=True, correction=0) + eps
    return _left(upstream, (x - _mean(x)) / spread) / spread


def _all_entries(x, upstream, eps):
    y, spread = _parts(x, eps)
    return (upstream - upstream.mean() - y * (upstream * y).mean()) / spread


def _rms(x, upstream, eps):
    size = torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    y = x / size
    return (upstream - y * _mean(upstream * y)) / size


MISTAKES = (
    Mistake(
        "mean and spread as constants",
        _of(lambda u, y, s: u / s),
        "You treat mean and spread as constants. Both move when x does: what does y do if all "
        "features rise together?",
    ),
    Mistake(
        "part along y forgotten",
        _of(lambda u, y, s: (u - _mean(u)) / s),
        "The mean is taken care of. The spread depends on x as well: scaling x must not be felt. "
        "(Or did you multiply two means? That of y is 0.)",
    ),
    Mistake(
        "mean forgotten",
        _of(lambda u, y, s: (u - y * _mean(u * y)) / s),
        "The spread is taken care of. The mean depends on x as well: adding the same to all "
        "features must not be felt. What does your gradient sum to?",
    ),
    Mistake(
        "RMS norm's gradient",
        _rms,
        "This is the gradient of RMS norm, which has no mean to subtract.",
    ),
    Mistake(
        "not divided by the spread",
        _of(lambda u, y, s: _left(u, y)),
        "The two lost parts are right. The factor is missing: if x is ten times as large, a step "
        "of the same length moves y ten times less.",
    ),
    Mistake(
        "multiplied by the spread",
        _of(lambda u, y, s: _left(u, y) * s),
        "You multiply by the spread. A large x moves y less, not more.",
    ),
    Mistake(
        "divided by the variance",
        _of(lambda u, y, s: _left(u, y) / s.square()),
        "You divide by variance + eps. y is x divided by the root of that.",
    ),
    Mistake(
        "spread on one term",
        _of(lambda u, y, s: u / s - _mean(u) - y * _mean(u * y)),
        "Only the first term is divided by the spread. `a / s - b` divides a alone.",
    ),
    Mistake(
        "spread on the last term",
        _of(lambda u, y, s: u - _mean(u) - y * _mean(u * y) / s),
        "Only the last term is divided by the spread: brackets belong around all three.",
    ),
    Mistake(
        "signs of both",
        _of(lambda u, y, s: (u + _mean(u) + y * _mean(u * y)) / s),
        "The two parts are to be taken away, and you add them.",
    ),
    Mistake(
        "sign of the part along y",
        _of(lambda u, y, s: (u - _mean(u) + y * _mean(u * y)) / s),
        "The part along y is added, and must be taken away: check the sign of the derivative of "
        "1 / s.",
    ),
    Mistake(
        "sign of the mean",
        _of(lambda u, y, s: (u + _mean(u) - y * _mean(u * y)) / s),
        "The mean is added, and must be taken away: what should your gradient sum to?",
    ),
    Mistake(
        "sums in place of means",
        _of(lambda u, y, s: (u - u.sum(-1, keepdim=True) - y * (u * y).sum(-1, keepdim=True)) / s),
        "You take away the sums. Mean and variance each have a factor of one over d.",
    ),
    Mistake(
        "sum along y",
        _of(lambda u, y, s: (u - _mean(u) - y * (u * y).sum(-1, keepdim=True)) / s),
        "Along y you take the sum of upstream times y. y is no unit vector: its squares sum to "
        "about d.",
    ),
    Mistake(
        "y forgotten as direction",
        _of(lambda u, y, s: (u - _mean(u) - _mean(u * y)) / s),
        "The amount along y is right, but it has to be taken away in the direction of y: multiply "
        "it by y.",
    ),
    Mistake(
        "own product in place of the mean",
        _of(lambda u, y, s: (u - _mean(u) - y * u * y) / s),
        "You take y times upstream times y entry by entry. One number for the whole row belongs "
        "there: the mean of upstream times y.",
    ),
    Mistake(
        "x in place of y",
        _with_x(lambda u, x, y, s: (u - _mean(u) - x * _mean(u * x)) / s),
        "You take the part along x. The spread moves with the centred and divided x: with y.",
    ),
    Mistake(
        "centred x in place of y",
        _with_x(lambda u, x, y, s: (u - _mean(u) - y * s * _mean(u * y * s)) / s),
        "You use x less its mean where y belongs: it is still to be divided by the spread.",
    ),
    Mistake(
        "eps as if it were 0",
        _of(lambda u, y, s: (u - _mean(u) - y * _mean(u * y) / _mean(y * y).clamp(min=1e-30)) / s),
        "You take away all that lies along y, which is right without eps. With eps, y is a little "
        "too short to forget the scale of x altogether, and so a little of it stays.",
    ),
    Mistake(
        "unbiased variance",
        _of(lambda u, y, s: _left(u, y) / s, correction=1),
        "Your spread divides by d - 1, as `x.var` does by itself. Give `correction=0`.",
    ),
    Mistake(
        "eps outside the root",
        _outside,
        "You add eps to the standard deviation. It belongs to the variance, inside the root.",
    ),
    Mistake(
        "eps forgotten",
        lambda x, upstream, eps: _of(lambda u, y, s: _left(u, y) / s)(x, upstream, 0.0),
        "`eps` is not in your spread. It changes s, and with it y and the gradient.",
    ),
    Mistake(
        "the output",
        _of(lambda u, y, s: y),
        "This is y itself. The gradient at x is asked for.",
    ),
    Mistake(
        "upstream times y",
        _of(lambda u, y, s: u * y),
        "Upstream times y is the gradient of the gain. Here the gradient of x is asked for.",
    ),
    Mistake(
        "upstream as it came",
        _of(lambda u, y, s: u),
        "You hand the gradient through unchanged. How much does y move when x does?",
    ),
    Mistake(
        "one mean for all rows",
        _all_entries,
        "Right for one row. With more, each position loses its own mean and its own part along "
        "y: take the means over the last axis, and keep it.",
    ),
)
