"""Lesson 42: one update of AdamW."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_42.adamw_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(weights, grad, m, v, t, lr, beta1, beta2, eps, weight_decay):
    """Return the new weights, the new m and the new v of AdamW's update number t."""
    raise NotImplementedError


def _solution(weights, grad, m, v, t, lr, beta1, beta2, eps, weight_decay):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    decayed = weights - lr * weight_decay * weights
    return decayed - lr * m_hat / (v_hat.sqrt() + eps), m, v


def _case(shape, t, dtype=torch.float64, grad=1.0, **settings):
    """Weights, a gradient, and a memory as t - 1 updates leave it: zeros before the first."""
    draws = torch.Generator().manual_seed(t)
    w, g, m, v = (torch.randn(shape, generator=draws, dtype=dtype) for _ in range(4))
    old = 0.0 if t == 1 else 1.0
    return Case({"weights": w, "grad": grad * g, "m": 0.5 * old * m, "v": old * (v**2 + 0.1),
                 "t": t, **settings})  # fmt: skip


adamw_step = Exercise(
    name="lesson_42.adamw_step",
    task=(
        "Write `adamw_step(weights, grad, m, v, t, lr, beta1, beta2, eps, weight_decay)`: one "
        "update of AdamW, its number `t` counted from 1. `m` and `v` are the averages before it. "
        "Return the new weights, the new `m` and the new `v`, and leave what you were given as it "
        "was. The shape is any."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The averages take in the new gradient first, then they are corrected; the corrected ones "
        "are used and not kept. The decay never meets $m$ and $v$: it is a share $\\eta\\lambda$ "
        "of the weights as they were. So it does not matter whether it comes first, as "
        "$(1 - \\eta\\lambda)\\,\\theta$, or in one line with Adam's step."
    ),
    cases=(
        _case((4,), 1, lr=0.1, beta1=0.8, beta2=0.9, eps=0.01, weight_decay=0.3),
        _case((2, 3), 4, lr=0.05, beta1=0.7, beta2=0.95, eps=0.02, weight_decay=0.5),
        _case((3, 1, 2), 2, torch.float32, grad=0.1, lr=0.2, beta1=0.6, beta2=0.8, eps=0.3,
              weight_decay=0.25),
    ),
    mistakes=MISTAKES,
    hints=(
        "Five lines of the equations, five lines of code. Which of them read the gradient, and "
        "which one reads the weights?",
        "New m and new v first. Divide each by one minus its beta to the power t, under new names, "
        "since the undivided ones are returned. The weight decay is multiplied by `lr` and by the "
        "old weights, and by nothing else.",
        "```python\nm = ...\nv = ...\nm_hat, v_hat = m / ..., v / ...\n"
        "return weights - lr * ... - lr * ..., m, v\n```",
    ),
    returns=("the weights", "m", "v"),
)  # fmt: skip
