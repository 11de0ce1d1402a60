"""Lesson 43: how large Adam's updates are after one gradient that was far too large."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(size, beta1, beta2, later):
    """The update of a weight, in units of the rate, `later` steps after the spike."""
    raise NotImplementedError


def _solution(size, beta1, beta2, later):
    m = v = 1.0  # the averages of a gradient that has long been 1
    for step in range(later + 1):
        gradient = size if step == 0 else 1.0
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
    return m / math.sqrt(v)


def _update(mean=None, square=None, root=math.sqrt, later=lambda n: n):
    """The update by its formula, with some part of it wrong."""

    def wrong(size, beta1, beta2, after):
        n = later(after)
        m = (mean or _mean)(size, beta1, n)
        v = (square or _square)(size, beta2, n)
        return m / root(v)

    return wrong


def _mean(size, beta1, n):
    return 1 + (size - 1) * (1 - beta1) * beta1**n


def _square(size, beta2, n):
    return 1 + (size**2 - 1) * (1 - beta2) * beta2**n


def _from_nothing(size, beta1, beta2, later, corrected=False):
    """Averages that begin at 0 with the spike, as at Adam's first step."""
    m = v = 0.0
    for step in range(later + 1):
        gradient = size if step == 0 else 1.0
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
    if corrected:
        m, v = m / (1 - beta1 ** (later + 1)), v / (1 - beta2 ** (later + 1))
    return m / math.sqrt(v)


_MISTAKES = (
    Mistake(
        "averages from 0",
        _from_nothing,
        "Your averages start at 0. The gradient has been 1 for a long time: what are they then?",
    ),
    Mistake(
        "a first step",
        lambda *given: _from_nothing(*given, corrected=True),
        "You start Adam with the spike, bias correction and all. Here it has run for a long time: "
        "what are the averages of a gradient that has always been 1, and is there anything left to "
        "correct?",
    ),
    Mistake(
        "one step late",
        _update(later=lambda n: n + 1),
        "You count one step too many: 0 steps after the spike is the spike's own update.",
    ),
    Mistake(
        "one step early",
        lambda s, b1, b2, n: 1.0 if n == 0 else _update(later=lambda n: n - 1)(s, b1, b2, n),
        "You are one step early: with `later` = 0 the spike itself has been averaged in already.",
    ),
    Mistake(
        "spike lasts",
        lambda s, b1, b2, n: _update(
            lambda s, b, n: s + (1 - s) * b ** (n + 1),
            lambda s, b, n: s**2 + (1 - s**2) * b ** (n + 1),
        )(s, b1, b2, n),
        "In yours the gradient stays large. It is 1 again in the steps after the spike.",
    ),
    Mistake(
        "nothing after the spike",
        _update(
            lambda s, b, n: (b + (1 - b) * s) * b**n,
            lambda s, b, n: (b + (1 - b) * s**2) * b**n,
        ),
        "In yours the gradient is 0 after the spike. It is 1 again.",
    ),
    Mistake(
        "no root",
        _update(root=lambda v: v),
        "You divide by the average square. Adam divides by its root.",
    ),
    Mistake(
        "spike not squared",
        _update(square=lambda s, b, n: 1 + (s - 1) * (1 - b) * b**n),
        "The second average is one of squares: how large is the square of the spike?",
    ),
    Mistake(
        "memories swapped",
        lambda s, b1, b2, n: _update()(s, b2, b1, n),
        "You have the two memories the wrong way round: beta1 is the gradient's, beta2 that of "
        "its square.",
    ),
    Mistake(
        "one memory for both",
        lambda s, b1, b2, n: _update()(s, b1, b1, n),
        "You use beta1 for both averages. The square has beta2.",
    ),
    Mistake(
        "weights swapped",
        _update(
            lambda s, b, n: 1 + (s - 1) * b * (1 - b) ** n,
            lambda s, b, n: 1 + (s**2 - 1) * b * (1 - b) ** n,
        ),
        "In yours the new gradient gets the weight beta. It is the old average that does.",
    ),
    Mistake(
        "the square forgets at once",
        _update(square=lambda s, b, n: _square(s, b, 0) if n == 0 else 1.0),
        "Your average of squares has forgotten the spike a step later. It remembers it with the "
        "weight beta2, then beta2 squared, and so on.",
    ),
    Mistake(
        "only the spike's own update",
        _update(later=lambda n: 0),
        "Your answer does not depend on `later`. Both averages forget the spike step by step.",
    ),
    Mistake(
        "the spike on top of 1",
        _update(
            lambda s, b, n: 1 + s * (1 - b) * b**n,
            lambda s, b, n: 1 + s**2 * (1 - b) * b**n,
        ),
        "You add the spike to what is there. It comes in place of a gradient of 1, so an average "
        "grows by the difference only.",
    ),
    Mistake(
        "the new gradient's weight forgotten",
        _update(
            lambda s, b, n: 1 + (s - 1) * b**n,
            lambda s, b, n: 1 + (s**2 - 1) * b**n,
        ),
        "You add the whole spike. A new gradient enters an average with the weight 1 - beta.",
    ),
    Mistake(
        "the difference squared",
        _update(square=lambda s, b, n: 1 + (s - 1) ** 2 * (1 - b) * b**n),
        "You square the difference between spike and 1. It is the squares themselves that are "
        "averaged.",
    ),
    Mistake(
        "the spike alone",
        _update(lambda s, b, n: (1 - b) * b**n * s, lambda s, b, n: (1 - b) * b**n * s**2),
        "You count the spike alone. All other gradients are 1, and they are averaged, too.",
    ),
    Mistake(
        "corrected",
        lambda s, b1, b2, n: (
            _update()(s, b1, b2, n) * math.sqrt(1 - b2 ** (n + 1)) / (1 - b1 ** (n + 1))
        ),
        "You correct for bias as if Adam had started with the spike. It has run for a long time: "
        "there is nothing left to correct.",
    ),
    Mistake(
        "with the sign",
        lambda *given: -_update()(*given),
        "Right, but for the minus: give the update as a positive number.",
    ),
    Mistake(
        "the gradient for its average",
        _update(mean=lambda s, b, n: s if n == 0 else 1.0),
        "You divide the gradient itself by the root. Adam divides its average.",
    ),
)

_CASES = ((100.0, 0.9, 0.99, 1), (100.0, 0.9, 0.99, 0), (10.0, 0.8, 0.95, 3),
          (1.0, 0.9, 0.98, 2), (1000.0, 0.9, 0.999, 40))  # fmt: skip

after_spike = Exercise(
    name="lesson_43.after_spike",
    task=(
        "A weight's gradient has been 1 for a long time. Then it is `size` once, and 1 again ever "
        "after. Write `after_spike(size, beta1, beta2, later)`: Adam's update in units of the "
        "learning rate, as a positive number, `later` steps after the spike; 0 is the spike's own. "
        "Bias correction has long faded, and epsilon is 0."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Before the spike both averages are 1. The spike adds $(1-\\beta_1)(s-1)$ to the first and "
        "$(1-\\beta_2)(s^2-1)$ to the second, and what was added fades by $\\beta_1$ and "
        "$\\beta_2$ a step. A loop over the steps says the same. With $\\beta_2 > \\beta_1$ the "
        "divisor remembers longer than the step does."
    ),
    cases=tuple(
        Case(dict(zip(("size", "beta1", "beta2", "later"), case, strict=True))) for case in _CASES
    ),
    mistakes=_MISTAKES,
    hints=(
        "Which values do both averages have before the spike, if the gradient and its square have "
        "been 1 for ever?",
        "Start both there, and make Adam's two averages step by step: once with the spike, then as "
        "often as asked with 1. What is divided by what at the end?",
        "```python\nm, v = ...\nfor step in range(...):\n    gradient = ...\n    m = ...\n"
        "    v = ...\nreturn ...\n```",
    ),
    returns=("the update",),
    number=True,
    atol=1e-9,
)  # fmt: skip
