"""What goes wrong with RMS norm: the mean subtracted, the sum taken, eps, axes, the format."""

import torch

from course_lib.checks.mistakes import Mistake


def _norm(size, apply=None):
    """RMS norm in double precision with another size; `size(x, eps)` keeps the last axis."""
    put_on = apply or (lambda y, gain: gain * y)

    def wrong(x, gain, eps):
        wide = x.double()
        return put_on(wide / size(wide, eps), gain).to(x.dtype)

    return wrong


def _mean_square(x):
    return x.square().mean(-1, keepdim=True)


def _right(x, eps):
    return torch.sqrt(_mean_square(x) + eps)


def _spread(x, eps):
    return torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)


def _layer_norm(x, gain, eps):
    wide = x.double()
    return (gain * (wide - wide.mean(-1, keepdim=True)) / _spread(wide, eps)).to(x.dtype)


def _centred_size_kept(x, gain, eps):
    wide = x.double()
    return (gain * (wide - wide.mean(-1, keepdim=True)) / _right(wide, eps)).to(x.dtype)


def _gain_first(x, gain, eps):
    wide = gain * x.double()
    return (wide / _right(wide, eps)).to(x.dtype)


def _in_its_own_format(x, gain, eps):
    return gain * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)


def _made_smaller(x, gain, eps):
    small = x / 1000
    size = torch.sqrt(small.square().mean(-1, keepdim=True) + eps / 1e6)
    return gain * small / size


def _in_bfloat16(x, gain, eps):
    return _in_its_own_format(x.bfloat16(), gain.bfloat16(), eps).to(x.dtype)


def _gain_too_early(x, gain, eps):
    return (gain * x) / torch.sqrt(_mean_square(x.double()) + eps).to(x.dtype)


def _not_back(x, gain, eps):
    return gain.double() * x.double() / _right(x.double(), eps)


def _axis_one(x, eps):
    axis = min(1, x.ndim - 1)
    return torch.sqrt(x.square().mean(axis, keepdim=True) + eps)


def _last_two(x):
    return tuple(range(max(-2, -x.ndim), 0))


MISTAKES = (
    Mistake(
        "the input",
        lambda x, gain, eps: x,
        "This is x as it came in. Hand back what you have computed.",
    ),
    Mistake(
        "layer norm",
        _layer_norm,
        "This is layer norm without a shift. RMS norm subtracts nothing: the mean stays in.",
    ),
    Mistake(
        "standard deviation",
        _norm(_spread),
        "You divide by the spread around the mean. RMS norm squares x itself.",
    ),
    Mistake(
        "unbiased standard deviation",
        _norm(lambda x, eps: torch.sqrt(x.var(-1, keepdim=True) + eps)),
        "You divide by the root of `x.var`, which takes the mean off and divides by d - 1. RMS "
        "norm takes the mean of the squares of x itself.",
    ),
    Mistake(
        "mean subtracted, size of x",
        _centred_size_kept,
        "The size is right, but you subtract the mean on top of the fraction. It stays.",
    ),
    Mistake(
        "sum in place of mean",
        _norm(lambda x, eps: torch.sqrt(x.square().sum(-1, keepdim=True) + eps)),
        "You divide by the length of x, so that its squares sum to 1. The equation has their "
        "mean: features keep a size near 1 whatever the width.",
    ),
    Mistake(
        "eps joins the sum",
        _norm(lambda x, eps: torch.sqrt((x.square().sum(-1, keepdim=True) + eps) / x.shape[-1])),
        "You add eps to the sum and divide it by d with the rest. It is added to the mean.",
    ),
    Mistake(
        "divided by d - 1",
        _norm(lambda x, eps: torch.sqrt(_mean_square(x) * x.shape[-1] / (x.shape[-1] - 1) + eps)),
        "Your squares are divided by d - 1. There are d of them, and nothing is estimated.",
    ),
    Mistake(
        "eps outside the root",
        _norm(lambda x, eps: _mean_square(x).sqrt() + eps),
        "You add eps to the root. It is added to the mean square, inside the root.",
    ),
    Mistake(
        "eps squared",
        _norm(lambda x, eps: torch.sqrt(_mean_square(x) + eps**2)),
        "You square eps. It joins the mean square as it is.",
    ),
    Mistake(
        "eps at least",
        _norm(lambda x, eps: torch.sqrt(_mean_square(x).clamp(min=eps))),
        "You take the larger of the mean square and eps. The equation adds them.",
    ),
    Mistake(
        "no root",
        _norm(lambda x, eps: _mean_square(x) + eps),
        "The root is missing: multiply x by 10, and your output becomes ten times smaller.",
    ),
    Mistake(
        "multiplied by the size",
        _norm(lambda x, eps: 1 / _right(x, eps)),
        "You multiply by the size. Dividing by it brings the size to 1; `rsqrt` is one over the "
        "root.",
    ),
    Mistake(
        "no eps",
        _norm(lambda x, eps: _mean_square(x).sqrt()),
        "`eps` is missing. A row of zeros has size 0: what is 0 / 0?",
    ),
    Mistake(
        "eps as a floor",
        _norm(lambda x, eps: _mean_square(x).sqrt().clamp(min=eps)),
        "You take the larger of the size and eps: a floor. The equation adds eps, and to the mean "
        "square.",
    ),
    Mistake(
        "an eps of 1e-6",
        _norm(lambda x, eps: torch.sqrt(_mean_square(x) + 1e-6)),
        "Your eps is always 1e-6, whatever comes in. Use the one that is handed to you.",
    ),
    Mistake(
        "an eps of 1e-5",
        _norm(lambda x, eps: torch.sqrt(_mean_square(x) + 1e-5)),
        "Your eps is always 1e-5, whatever comes in. Use the one that is handed to you.",
    ),
    Mistake(
        "mean of the absolute values",
        _norm(lambda x, eps: x.abs().mean(-1, keepdim=True) + eps),
        "You divide by the mean of the absolute values. RMS stands for root mean square.",
    ),
    Mistake(
        "square of the mean",
        _norm(lambda x, eps: torch.sqrt(x.mean(-1, keepdim=True).square() + eps)),
        "You square the mean. Square first, then take the mean: positive and negative features "
        "would cancel otherwise.",
    ),
    Mistake(
        "first axis",
        _norm(lambda x, eps: torch.sqrt(x.square().mean(0, keepdim=True) + eps)),
        "You take the mean over axis 0. Every position has a size of its own, over its features: "
        "the last axis.",
    ),
    Mistake(
        "axis 1",
        _norm(_axis_one),
        "You take the mean over axis 1. With texts in front, that is the axis of the positions: "
        "the features stand on the last axis, -1.",
    ),
    Mistake(
        "all axes",
        _norm(lambda x, eps: torch.sqrt(x.square().mean() + eps)),
        "One size serves all positions. Name the last axis, and keep it.",
    ),
    Mistake(
        "last two axes",
        _norm(lambda x, eps: torch.sqrt(x.square().mean(_last_two(x), keepdim=True) + eps)),
        "You take the mean over the last two axes: the positions of a text share one size, and "
        "each learns about the later ones.",
    ),
    Mistake(
        "axis not kept",
        _norm(lambda x, eps: torch.sqrt(x.square().mean(-1) + eps)),
        "`mean(-1)` drops the axis, and rows no longer meet their own size. What does "
        "`keepdim=True` do?",
    ),
    Mistake(
        "no gain",
        _norm(_right, lambda y, gain: y),
        "The size is right. The gain is missing.",
    ),
    Mistake(
        "gain counted from one",
        _norm(_right, lambda y, gain: (1 + gain) * y),
        "You multiply by 1 + gain, as some models store it. Here a gain of 1 changes nothing.",
    ),
    Mistake(
        "gain before the norm",
        _gain_first,
        "You apply the gain before the size is measured, so its overall size is lost again.",
    ),
    Mistake(
        "in the format of x",
        _in_its_own_format,
        "Right in float32 and float64. In float16 the square of a number past 255 is inf, and "
        "x / inf is 0. Square in a wider format, and go back at the end.",
    ),
    Mistake(
        "in bfloat16",
        _in_bfloat16,
        "Nothing overflows in bfloat16, which has the range of float32. But it has two digits "
        "only. Which wider format has both?",
    ),
    Mistake(
        "made smaller before squaring",
        _made_smaller,
        "Right for large numbers. Made smaller first, a small number has a square that float16 "
        "rounds to 0. More room is needed on both sides: a wider format.",
    ),
    Mistake(
        "gain times x in float16",
        _gain_too_early,
        "The size is right. But gain times x, before it is divided, leaves the range of float16: "
        "stay in the wider format until the end.",
    ),
    Mistake(
        "not in the format of x",
        _not_back,
        "The numbers are right, but they do not come back in the dtype of x: end with "
        "`.to(x.dtype)` (from numpy: `torch.tensor(...)` around it first).",
    ),
)
