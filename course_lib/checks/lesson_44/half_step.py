"""Lesson 44: a half-precision training step with three bugs, to be repaired."""

from itertools import product

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(master, gradient, scale, lr, max_norm):
    """The new fp32 weights and the new scale, from an fp16 gradient of the scaled loss."""
    norm = gradient.float().norm()
    gradient = gradient * torch.clamp(max_norm / norm, max=1.0)
    gradient = gradient / scale
    if not gradient.isfinite().all():
        scale = scale / 2
    return master - lr * gradient, scale


def _solution(master, gradient, scale, lr, max_norm):
    gradient = gradient.float() / scale
    if not gradient.isfinite().all():
        return master, scale / 2
    norm = gradient.norm()
    gradient = gradient * torch.clamp(max_norm / norm, max=1.0)
    return master - lr * gradient, scale


_CLIPS = {
    "after": "",
    "before": "You clip before you divide by the scale. The threshold is meant for gradients of "
    "their true size; scaled up, nearly all of them are longer, and are cut far too short.",
    "never": "The gradient is never shortened to `max_norm`.",
    "each": "You cut off each number of the gradient for itself, which turns it. One factor for "
    "all is wanted.",
}
_PRECISION = {
    "fp32": "",
    "fp16": "You divide in fp16. The scale has lifted the gradient out of the underflow, and "
    "dividing there lets it fall back in; make it fp32 first.",
}
_NOT_FINITE = {
    "skip": "",
    "update": "When the gradient is not finite you still subtract it, and the weights are inf or "
    "NaN for ever. Return `master` as it was.",
    "keep scale": "You skip a gradient that is not finite, and leave the scale as it is. The next "
    "one will overflow as well: halve it.",
    "zeros": "You set what is not finite to 0 and go on. The other numbers come from a backward "
    "pass that overflowed; skip the whole step.",
}


def _variant(clips: str, precision: str, not_finite: str):
    """A step with each of the three places done in one way."""

    def clip(gradient, max_norm):
        if clips == "never":
            return gradient
        if clips == "each":
            return gradient.clamp(-max_norm, max_norm)
        return gradient * torch.clamp(max_norm / gradient.float().norm(), max=1.0)

    def wrong(master, gradient, scale, lr, max_norm):
        if clips == "before":
            gradient = clip(gradient, max_norm)
        gradient = (gradient.float() if precision == "fp32" else gradient) / scale
        if not gradient.isfinite().all():
            if not_finite == "skip":
                return master, scale / 2
            if not_finite == "keep scale":
                return master, scale
            if not_finite == "update":
                scale = scale / 2
            else:
                gradient = gradient.nan_to_num(0.0, 0.0, 0.0)
        if clips != "before":
            gradient = clip(gradient, max_norm)
        return master - lr * gradient, scale

    return wrong


def _combined():
    """Every mixture of the bugs, each with all it has to hear."""
    for clips, precision, not_finite in product(_CLIPS, _PRECISION, _NOT_FINITE):
        said = [_NOT_FINITE[not_finite], _PRECISION[precision], _CLIPS[clips]]
        if clips == "before" and not_finite == "zeros":
            continue  # clipped by an infinite norm, all is 0 anyway
        if any(said):
            wrong = _variant(clips, precision, not_finite)
            name = f"clip {clips}, {precision}, {not_finite}"
            yield Mistake(name, wrong, " ".join(filter(None, said)))


def _shortened(gradient, max_norm):
    return gradient * torch.clamp(max_norm / gradient.norm(), max=1.0)


def _finite_or_skip(update, finite=lambda gradient: gradient.isfinite().all()):
    """A step that skips as it should, with this update."""

    def wrong(master, gradient, scale, lr, max_norm):
        if not finite(gradient):
            return master, scale / 2
        return update(master, gradient, scale, lr, max_norm), scale

    return wrong


_OTHERS = (
    Mistake(
        "not divided",
        lambda m, g, s, lr, c: (
            (m - lr * g.float() * torch.clamp(c / g.float().norm(), max=1.0), s)
            if g.isfinite().all()
            else (m, s / 2)
        ),
        "The gradient is never divided by the scale.",
    ),
    Mistake(
        "multiplied",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * _shortened(g.float() * s, c)),
        "You multiply by the scale. The loss was multiplied by it, so the gradient has to be "
        "divided.",
    ),
    Mistake(
        "fp32 after the division",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * _shortened((g / s).float(), c)),
        "You divide in fp16 and make the quotient fp32 afterwards; by then small numbers have "
        "fallen back to 0. The other order.",
    ),
    Mistake(
        "always to the norm",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * g.float() * c / g.float().norm()),
        "You bring every gradient to `max_norm`, short ones too. It is to be shortened only when "
        "it is longer.",
    ),
    Mistake(
        "only lengthened",
        _finite_or_skip(lambda m, g, s, lr, c: (
            m - lr * g.float() / s * torch.clamp(c / (g.float() / s).norm(), min=1.0)
        )),
        "Your factor is at least 1, so short gradients are lengthened and long ones stay.",
    ),
    Mistake(
        "largest number for the norm",
        _finite_or_skip(lambda m, g, s, lr, c: (
            m - lr * g.float() / s * torch.clamp(c / (g.float() / s).abs().max(), max=1.0)
        )),
        "You compare the largest number of the gradient with `max_norm`. Wanted is its norm, the "
        "root of the sum of squares.",
    ),
    Mistake(
        "norm in fp16",
        _finite_or_skip(lambda m, g, s, lr, c: (
            m - lr * g.float() / s * torch.clamp(c / (g / s).norm(), max=1.0)
        )),
        "Your norm is computed in fp16, where what has been divided falls to 0 and sums of squares "
        "are coarse. Take the norm of the fp32 gradient.",
    ),
    Mistake(
        "uphill",
        _finite_or_skip(lambda m, g, s, lr, c: m + lr * _shortened(g.float() / s, c)),
        "You add the gradient. Descent subtracts it.",
    ),
    Mistake(
        "NaN only",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * _shortened(g.float() / s, c),
                        lambda g: not g.isnan().any()),
        "You look for NaN only. An overflow shows as infinity first.",
    ),
    Mistake(
        "inf only",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * _shortened(g.float() / s, c),
                        lambda g: not g.isinf().any()),
        "You look for infinity only. NaN is not finite either.",
    ),
    Mistake(
        "any for all",
        _finite_or_skip(lambda m, g, s, lr, c: m - lr * _shortened(g.float() / s, c),
                        lambda g: g.isfinite().any()),
        "You go on when any number is finite. All have to be.",
    ),
    Mistake(
        "scale always halved",
        lambda m, g, s, lr, c: (_solution(m, g, s, lr, c)[0], s / 2),
        "You halve the scale in every step. When the gradient is finite it stays.",
    ),
    Mistake(
        "scale doubled when finite",
        lambda m, g, s, lr, c: (
            _solution(m, g, s, lr, c)[0], s * 2 if g.isfinite().all() else s / 2
        ),
        "You double the scale when all is finite. Here it stays then.",
    ),
    Mistake(
        "scale back to 1",
        lambda m, g, s, lr, c: (
            _solution(m, g, s, lr, c)[0], s if g.isfinite().all() else 1.0
        ),
        "After an overflow you drop the scale to 1. It is to be halved, or small gradients are "
        "lost again.",
    ),
    Mistake(
        "weights in fp16",
        lambda m, g, s, lr, c: (
            lambda new: (new[0].half().float(), new[1])
        )(_solution(m, g, s, lr, c)),
        "Your new weights are rounded to fp16. The masters exist so that small updates are kept.",
    ),
    Mistake(
        "scale doubled",
        lambda m, g, s, lr, c: (
            _solution(m, g, s, lr, c) if g.isfinite().all() else (m, s * 2)
        ),
        "You double the scale after an overflow. It was too large already.",
    ),
)

_MASTER = [0.5, -1.0, 0.25]


def _case(gradient: list, scale: float, lr: float, max_norm: float, master=None) -> Case:
    return Case({
        "master": torch.tensor(master or _MASTER),
        "gradient": torch.tensor(gradient, dtype=torch.float16),
        "scale": scale,
        "lr": lr,
        "max_norm": max_norm,
    })  # fmt: skip


repair_step = Exercise(
    name="lesson_44.repair_step",
    task=(
        "Repair `repair_step(master, gradient, scale, lr, max_norm)`. `gradient` is in fp16, and "
        "belongs to a loss that was multiplied by `scale`. Return the new fp32 weights after one "
        "step of plain gradient descent, and the new scale. The true gradient is to be shortened "
        "to `max_norm` if it is longer. When it is not finite, nothing may happen to the weights, "
        "and the scale is halved; else the scale stays."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "First fp32, then divide: in fp16 the quotient falls back to 0. Then look whether all is "
        "finite; if not, the step is skipped, with a smaller scale for the next try. Only then "
        "clip, since the threshold is meant for the true size."
    ),
    cases=(
        _case([8.0, -4.0, 16.0], 16.0, 0.1, 100.0),
        _case([64.0, -128.0, 32.0], 16.0, 0.1, 2.0),
        _case([1.0, -2.0, 0.5], 2.0, 0.1, 50.0),
        _case([3.0, -2.0, 0.5], 65536.0, 4096.0, 1.0),
        _case([0.002, -0.003, 0.0007], 65536.0, 2.0**24, 1.0),
        _case([4096.0, float("inf"), -8192.0], 1024.0, 0.1, 20.0),
        _case([float("nan"), 2048.0], 256.0, 0.1, 2.0, [1.0, 2.0]),
        _case([[2048.0, -512.0], [256.0, 4096.0]], 512.0, 1.0, 3.0, [[1.0, 2.0], [0.3, 0.4]]),
    ),
    mistakes=(*_combined(), *_OTHERS),
    hints=(
        "What size has the gradient that arrives, and which of the lines are meant for another?",
        "Four things in this order: make it fp32, divide, look whether all is finite (if not, "
        "return at once), clip.",
        "```python\ngradient = gradient.float() / scale\nif ...:\n    return ..., scale / 2\n"
        "norm = ...\ngradient = ...\nreturn master - lr * gradient, scale\n```",
    ),
    returns=("the new weights", "the new scale"),
)
