"""What goes wrong when layer norm is repaired: eps, the variance, the axes, gain and shift."""

import torch

from course_lib.checks.mistakes import Mistake


def _norm(divisor=None, correction=0, dim=-1, keepdim=True, centre=True, join=None):
    """Layer norm with its divisor, its axes, or the way gain and shift come in exchanged."""
    divide_by = divisor or (lambda variance, eps: torch.sqrt(variance + eps))
    put_on = join or (lambda y, gain, shift: gain * y + shift)

    def wrong(x, gain, shift, eps):
        axes = tuple(range(x.ndim)) if dim == "all" else dim
        mean = x.mean(axes, keepdim=keepdim)
        variance = x.var(axes, keepdim=keepdim, correction=correction)
        top = x - mean if centre else x
        return put_on(top / divide_by(variance, eps), gain, shift)

    return wrong


def _last_two(x, gain, shift, eps):
    axes = (-2, -1) if x.ndim > 1 else -1
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, keepdim=True, correction=0)
    return gain * (x - mean) / torch.sqrt(variance + eps) + shift


def _rms(x, gain, shift, eps):
    return gain * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps) + shift


def _uncentred_size(x, gain, shift, eps):
    size = torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    return gain * (x - x.mean(-1, keepdim=True)) / size + shift


def _absolute(x, gain, shift, eps):
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / (centred.abs().mean(-1, keepdim=True) + eps) + shift


def _sum_of_squares(x, gain, shift, eps):
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / torch.sqrt(centred.square().sum(-1, keepdim=True) + eps) + shift


def _from_squares(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    variance = x.square().mean(-1, keepdim=True) - mean.square()
    return gain * (x - mean) / torch.sqrt(variance + eps) + shift


def _axis_one(x, gain, shift, eps):
    return _norm(dim=min(1, x.ndim - 1))(x, gain, shift, eps)


def _joined(join):
    """`join(x, mean, s, gain, shift)` puts the right parts together with other brackets."""

    def wrong(x, gain, shift, eps):
        s = torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)
        return join(x, x.mean(-1, keepdim=True), s, gain, shift)

    return wrong


def _twice(x, gain, shift, eps):
    return _norm()(_norm(join=lambda y, g, s: y)(x, gain, shift, eps), gain, shift, eps)


MISTAKES = (
    Mistake(
        "the input",
        lambda x, gain, shift, eps: x,
        "This is x as it came in. Hand back what you have computed.",
    ),
    Mistake(
        "both left as they were",
        _norm(lambda v, eps: v.sqrt() + eps, correction=1),
        "Your function gives what the broken one gave. Two things have to change: what the "
        "squares are divided by, and where eps is added.",
    ),
    Mistake(
        "eps outside the root",
        _norm(lambda v, eps: v.sqrt() + eps),
        "The variance is right. eps is still added to the root of it: the equation adds it to the "
        "variance, before the root is taken.",
    ),
    Mistake(
        "unbiased variance",
        _norm(correction=1),
        "`eps` is in the right place. Your squares are divided by d - 1, which is what `x.var` and "
        "`x.std` do by themselves. How do you tell them to divide by d?",
    ),
    Mistake(
        "unbiased, and no eps",
        _norm(lambda v, eps: v.sqrt(), correction=1),
        "`eps` has gone, and the squares are still divided by d - 1. Add eps to the variance and "
        "give `correction=0`.",
    ),
    Mistake(
        "no eps",
        _norm(lambda v, eps: v.sqrt()),
        "`eps` has gone. A row of equal numbers has the variance 0: what is 0 / 0?",
    ),
    Mistake(
        "eps as a floor",
        _norm(lambda v, eps: v.sqrt().clamp(min=eps)),
        "You take the larger of the spread and eps: a floor. The equation adds eps, and to the "
        "variance.",
    ),
    Mistake(
        "eps as a floor, unbiased",
        _norm(lambda v, eps: v.sqrt().clamp(min=eps), correction=1),
        "Your eps is a floor, and the squares are still divided by d - 1. The equation adds eps to "
        "the variance.",
    ),
    Mistake(
        "an eps of its own",
        _norm(lambda v, eps: torch.sqrt(v + 1e-5)),
        "Your eps is 1e-5 whatever comes in. Use the one that is handed to you (PyTorch's "
        "`layer_norm` has 1e-5 unless told otherwise).",
    ),
    Mistake(
        "an eps of its own, unbiased",
        _norm(lambda v, eps: torch.sqrt(v + 1e-5), correction=1),
        "Your eps is 1e-5 whatever comes in, and the squares are divided by d - 1.",
    ),
    *(
        Mistake(
            "two roots" + ", unbiased" * correction,
            _norm(lambda v, eps: v.sqrt() + eps**0.5, correction=correction),
            "You take the root of eps and the root of the variance apart. Add first, then take "
            "one root." + " And the squares are still divided by d - 1." * correction,
        )
        for correction in (0, 1)
    ),
    Mistake(
        "divided by d + 1",
        _norm(correction=-1),
        "`eps` is in the right place. But `correction=-1` divides by d + 1: what is given there "
        "is subtracted from d.",
    ),
    Mistake(
        "eps inside and outside",
        _norm(lambda v, eps: torch.sqrt(v + eps) + eps),
        "`eps` is added twice now, inside the root and outside. Inside is enough.",
    ),
    Mistake(
        "eps squared",
        _norm(lambda v, eps: torch.sqrt(v + eps**2)),
        "You square eps before adding it. The equation adds eps itself to the variance; it is not "
        "a standard deviation.",
    ),
    Mistake(
        "root of the standard deviation",
        _norm(lambda v, eps: torch.sqrt(v.sqrt() + eps)),
        "You take the root of std + eps, so the root is taken twice. Add eps to the variance, "
        "then take one root.",
    ),
    Mistake(
        "root of the unbiased standard deviation",
        _norm(lambda v, eps: torch.sqrt(v.sqrt() + eps), correction=1),
        "You wrote `torch.sqrt(std + eps)`, and std is a root already. Start from the variance, "
        "divided by d.",
    ),
    Mistake(
        "no root",
        _norm(lambda v, eps: v + eps),
        "You divide by the variance. Multiply x by 10 and your output becomes ten times smaller: "
        "which power of the variance grows as x does?",
    ),
    Mistake(
        "at least eps",
        _norm(lambda v, eps: torch.sqrt(v.clamp(min=eps))),
        "You take the larger of the variance and eps. The equation adds them.",
    ),
    Mistake(
        "multiplied by the root",
        _norm(lambda v, eps: 1 / torch.sqrt(v + eps)),
        "You multiply by the root of the variance. To bring the spread to 1, divide by it "
        "(`rsqrt` is one over the root).",
    ),
    Mistake(
        "mean not subtracted",
        _norm(centre=False),
        "The mean is no longer subtracted. Which of your outputs has mean 0 before gain and shift?",
    ),
    Mistake(
        "RMS norm",
        _rms,
        "This is RMS norm: it never subtracts the mean. Layer norm removes the mean, then the "
        "spread around it.",
    ),
    Mistake(
        "size in place of spread",
        _uncentred_size,
        "You subtract the mean, but divide by the size of the x that still has it. Which x do the "
        "squares belong to?",
    ),
    Mistake(
        "mean of the absolute values",
        _absolute,
        "You divide by the mean distance from the mean. The variance is the mean of the squares.",
    ),
    Mistake(
        "sum of the squares",
        _sum_of_squares,
        "You take the sum of the squares. The variance is their mean: one over d is missing.",
    ),
    Mistake(
        "mean of the squares minus square of the mean",
        _from_squares,
        "On paper this is the variance. But where the mean is large and the spread small, it is "
        "the difference of two huge numbers, and rounding leaves nothing of it. Subtract the mean "
        "first, then square.",
    ),
    Mistake(
        "first axis",
        _norm(dim=0),
        "You normalise over axis 0: that mixes positions, and hands one what others hold. The "
        "features stand on the last axis.",
    ),
    Mistake(
        "axis 1",
        _axis_one,
        "You normalise over axis 1. With texts in front, that is the axis of the positions: the "
        "features stand on the last axis, -1.",
    ),
    Mistake(
        "all axes",
        _norm(dim="all"),
        "One mean and one variance serve all of x. Every position has its own: which axis do you "
        "have to name?",
    ),
    Mistake(
        "last two axes",
        _last_two,
        "You normalise over the last two axes, so all positions of a text share one mean. In a "
        "model that must not see the future, that would show it.",
    ),
    Mistake(
        "axis not kept",
        _norm(keepdim=False),
        "Without `keepdim=True` the axis is dropped, and the rows no longer meet their own mean.",
    ),
    Mistake(
        "gain on the shift too",
        _norm(join=lambda y, gain, shift: gain * (y + shift)),
        "Your gain multiplies the shift as well. The shift is added last.",
    ),
    Mistake(
        "shift over the root",
        _joined(lambda x, mean, s, gain, shift: (gain * (x - mean) + shift) / s),
        "Your shift is divided by the root as well: check the brackets. It is added last.",
    ),
    Mistake(
        "shift with the mean",
        _joined(lambda x, mean, s, gain, shift: gain * (x - mean + shift) / s),
        "Your shift stands beside the mean, inside the fraction. It is added last, after the gain.",
    ),
    Mistake(
        "gain before the mean",
        _joined(lambda x, mean, s, gain, shift: (gain * x - mean) / s + shift),
        "You multiply x by the gain before the mean is subtracted. Brackets: first x minus mean.",
    ),
    Mistake(
        "only the mean divided",
        _joined(lambda x, mean, s, gain, shift: gain * (x - mean / s) + shift),
        "Only the mean is divided by the root. Brackets belong around x minus mean.",
    ),
    Mistake(
        "shift subtracted",
        _norm(join=lambda y, gain, shift: gain * y - shift),
        "You subtract the shift. It is added.",
    ),
    Mistake(
        "gain and shift exchanged",
        _norm(join=lambda y, gain, shift: shift * y + gain),
        "You multiply by the shift and add the gain. It is the other way round.",
    ),
    Mistake(
        "neither gain nor shift",
        _norm(join=lambda y, gain, shift: y),
        "The normalised x is right. Gain and shift are missing.",
    ),
    Mistake(
        "no shift",
        _norm(join=lambda y, gain, shift: gain * y),
        "The shift is missing: add it last.",
    ),
    Mistake(
        "no gain",
        _norm(join=lambda y, gain, shift: y + shift),
        "The gain is missing: multiply before the shift is added.",
    ),
    Mistake(
        "gain counted from one",
        _norm(join=lambda y, gain, shift: (1 + gain) * y + shift),
        "You multiply by 1 + gain. Some models store their gain like that; here a gain of 1 "
        "changes nothing.",
    ),
    Mistake(
        "normalised twice",
        _twice,
        "You normalise what is normalised already. Where eps counts, the second time changes it.",
    ),
)
