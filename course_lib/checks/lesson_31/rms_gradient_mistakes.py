"""What goes wrong with RMS norm's gradient: a term forgotten, the gain misplaced, a power of s."""

import torch

from course_lib.checks.mistakes import Mistake


def _mean(x):
    return x.mean(-1, keepdim=True)


def _of(formula, size=lambda x, eps: torch.sqrt(_mean(x.square()) + eps)):
    """`formula(g, u, y, s)` with gain, upstream gradient, normalised x and size."""

    def wrong(x, gain, upstream, eps):
        s = size(x, eps)
        return formula(gain, upstream, x / s, s)

    return wrong


def _right(g, u, y, s):
    return (g * u - y * _mean(g * u * y)) / s


def _all_entries(g, u, y, s):
    return (g * u - y * (g * u * y).mean()) / s


def _dot(a, b):
    return (a * b).sum(-1, keepdim=True)


def _first_axis(g, u, y, s):
    return (g * u - y * (g * u * y).mean(0, keepdim=True)) / s


def _axis_dropped(g, u, y, s):
    return (g * u - y * (g * u * y).mean(-1)) / s


def _centred_but_no_mean(x, gain, upstream, eps):
    s = torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)
    return _right(gain, upstream, (x - _mean(x)) / s, s)


def _layer_norm(x, gain, upstream, eps):
    s = torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)
    y, u = (x - _mean(x)) / s, gain * upstream
    return (u - _mean(u) - y * _mean(u * y)) / s


MISTAKES = (
    Mistake(
        "the input",
        lambda x, gain, upstream, eps: x,
        "This is x as it came in. The gradient at x is asked for.",
    ),
    Mistake(
        "upstream",
        lambda x, gain, upstream, eps: upstream,
        "This is the gradient as it came in, at the output. Lead it back through the norm.",
    ),
    Mistake(
        "size as a constant",
        _of(lambda g, u, y, s: g * u / s),
        "You treat the size as a constant. It grows with x: what does the output do when x is "
        "scaled?",
    ),
    Mistake(
        "layer norm's gradient",
        _layer_norm,
        "This is layer norm's gradient, with the gain. RMS norm subtracts no mean, so a shift of "
        "all features is felt.",
    ),
    Mistake(
        "layer norm's y",
        _centred_but_no_mean,
        "Your y is layer norm's: it has lost its mean. RMS norm's y is x / s, with s from the "
        "squares of x itself.",
    ),
    Mistake(
        "mean taken away too",
        _of(lambda g, u, y, s: (g * u - _mean(g * u) - y * _mean(g * u * y)) / s),
        "You take the mean of the gradient away as well. That comes from layer norm's mean, and "
        "there is none here.",
    ),
    Mistake(
        "gain forgotten",
        _of(lambda g, u, y, s: (u - y * _mean(u * y)) / s),
        "Right for a gain of 1. On its way back the gradient meets the gain first.",
    ),
    Mistake(
        "gain last",
        _of(lambda g, u, y, s: g * (u - y * _mean(u * y)) / s),
        "You multiply by the gain at the end. Forwards the gain comes last, so backwards it comes "
        "first, before anything is taken away.",
    ),
    Mistake(
        "gain on the first term only",
        _of(lambda g, u, y, s: (g * u - y * _mean(u * y)) / s),
        "The gain is missing in the part along y: that part belongs to gain times upstream.",
    ),
    Mistake(
        "output in place of y",
        _of(lambda g, u, y, s: (g * u - g * y * _mean(u * g * y)) / s),
        "You take away the part along the output, with the gain in it. The size moves with "
        "y = x / s, before the gain.",
    ),
    Mistake(
        "gain twice",
        _of(lambda g, u, y, s: (g * u - y * _mean(g * u * g * y)) / s),
        "The gain comes in twice in the part that is taken away: is your y the output already?",
    ),
    Mistake(
        "output in both places",
        _of(lambda g, u, y, s: (g * u - g * y * _mean(g * u * g * y)) / s),
        "The gain comes in three times: your y is the output. The size moves with y = x / s, "
        "before the gain.",
    ),
    Mistake(
        "gain before and after",
        _of(lambda g, u, y, s: g * _right(g, u, y, s)),
        "The gain comes in before and after. On its way back the gradient meets it once, first.",
    ),
    Mistake(
        "divided by the gain",
        _of(lambda g, u, y, s: (u / g - y * _mean(u / g * y)) / s),
        "You divide by the gain. The output is gain times y, so y's gradient is gain times "
        "upstream.",
    ),
    Mistake(
        "not divided by the size",
        _of(lambda g, u, y, s: _right(g, u, y, s) * s),
        "The part along y is right. The factor is missing: if x is ten times as large, a step of "
        "the same length moves y ten times less.",
    ),
    Mistake(
        "multiplied by the size",
        _of(lambda g, u, y, s: _right(g, u, y, s) * s.square()),
        "You multiply by the size. A large x moves y less, not more.",
    ),
    Mistake(
        "divided by the square of the size",
        _of(lambda g, u, y, s: _right(g, u, y, s) / s),
        "You divide by the mean square, or by the size twice. Once is enough: y = x / s.",
    ),
    Mistake(
        "size on the first term only",
        _of(lambda g, u, y, s: g * u / s - y * _mean(g * u * y)),
        "Only the first term is divided by the size. (`a / s - b` divides a alone; or is one of "
        "your two y an x?)",
    ),
    Mistake(
        "size on the last term only",
        _of(lambda g, u, y, s: g * u - y * _mean(g * u * y) / s),
        "Only the last term is divided by the size: brackets belong around both.",
    ),
    Mistake(
        "sign of the part along y",
        _of(lambda g, u, y, s: (g * u + y * _mean(g * u * y)) / s),
        "The part along y is added, and must be taken away: check the sign of the derivative of "
        "1 / s.",
    ),
    Mistake(
        "sum in place of the mean",
        _of(lambda g, u, y, s: (g * u - y * _dot(g * u, y)) / s),
        "You take the sum of upstream times y. The squares of y sum to about d, so one over d is "
        "missing.",
    ),
    Mistake(
        "half",
        _of(lambda g, u, y, s: (g * u - y * _mean(g * u * y) / 2) / s),
        "You take away half of the part along y. The root gives 1/2, and the square under it "
        "gives 2.",
    ),
    Mistake(
        "double",
        _of(lambda g, u, y, s: (g * u - 2 * y * _mean(g * u * y)) / s),
        "You take away twice the part along y. The square gives 2, and the root around it 1/2.",
    ),
    Mistake(
        "direction forgotten",
        _of(lambda g, u, y, s: (g * u - _mean(g * u * y)) / s),
        "The amount along y is right, but it has to be taken away in the direction of y: multiply "
        "it by y.",
    ),
    Mistake(
        "entry by entry",
        _of(lambda g, u, y, s: (g * u - y * g * u * y) / s),
        "You take y times gain times upstream times y entry by entry. One number for the whole "
        "row belongs there: the mean of gain times upstream times y.",
    ),
    Mistake(
        "the diagonal alone",
        _of(lambda g, u, y, s: (g * u - y * g * u * y / y.shape[-1]) / s),
        "This is the diagonal of the Jacobian alone: each feature feels itself. The size moves "
        "with all of them, so every feature of upstream counts for every feature of x.",
    ),
    Mistake(
        "divided by d - 1",
        _of(lambda g, u, y, s: (g * u - y * _dot(g * u, y) / (y.shape[-1] - 1)) / s),
        "You divide by d - 1. The mean square is divided by d, and so is its derivative.",
    ),
    Mistake(
        "product of two means",
        _of(lambda g, u, y, s: (g * u - y * _mean(g * u) * _mean(y)) / s),
        "You multiply the means of two things. Multiply entry by entry first, then take the mean.",
    ),
    Mistake(
        "x in place of y",
        _of(lambda g, u, y, s: (g * u - y * s * _mean(g * u * y * s)) / s),
        "You take the part along x without dividing it by its size: y belongs in both places.",
    ),
    Mistake(
        "eps as if it were 0",
        _of(lambda g, u, y, s: (g * u - y * _dot(g * u, y) / _dot(y, y).clamp(min=1e-30)) / s),
        "You take away all that lies along y, which is right without eps. With eps, the scale of "
        "x is not quite forgotten, and so a little of it stays.",
    ),
    Mistake(
        "standard deviation",
        _of(_right, lambda x, eps: torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)),
        "Your size is the spread around the mean. RMS norm squares x itself.",
    ),
    Mistake(
        "eps outside the root",
        _of(_right, lambda x, eps: _mean(x.square()).sqrt() + eps),
        "You add eps to the root. It joins the mean square, inside the root.",
    ),
    Mistake(
        "eps forgotten",
        _of(_right, lambda x, eps: _mean(x.square()).sqrt()),
        "Your size has no eps in it. It changes s, and with it y and the gradient.",
    ),
    Mistake(
        "the output",
        _of(lambda g, u, y, s: g * y),
        "This is the output of the norm. The gradient at x is asked for.",
    ),
    Mistake(
        "the gain's gradient",
        _of(lambda g, u, y, s: u * y),
        "Upstream times y is what each feature adds to the gradient of the gain. Here that of x "
        "is asked for.",
    ),
    Mistake(
        "through the gain only",
        _of(lambda g, u, y, s: g * u),
        "You are back through the gain. The division by the size is still to come.",
    ),
    Mistake(
        "first axis",
        _of(_first_axis),
        "You take the mean over axis 0, so positions mix. Each position loses its own part along "
        "y: the last axis.",
    ),
    Mistake(
        "axis not kept",
        _of(_axis_dropped),
        "`mean(-1)` drops the axis, and rows no longer meet their own number: `keepdim=True`.",
    ),
    Mistake(
        "one mean for all rows",
        _of(_all_entries),
        "Right for one row. With more, each position loses its own part along y: take the mean "
        "over the last axis, and keep it.",
    ),
)
