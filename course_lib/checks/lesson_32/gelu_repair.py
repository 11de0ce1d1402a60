"""Lesson 32, second exercise: a tanh form written down from memory, to be repaired."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case

ROOT = math.sqrt(2 / math.pi)


def broken_gelu(x):
    """GELU's tanh form as somebody remembered it: two of its parts are wrong."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x - 0.044715 * x**2)))


def _solution(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _inside(argument):
    """The form with something else inside the tanh."""
    return lambda x: 0.5 * x * (1 + torch.tanh(argument(x)))


_MISTAKES = (
    Mistake(
        "still a minus",
        _inside(lambda x: ROOT * (x - 0.044715 * x**3)),
        "The power is right now. But far out your gate shuts for large positive x: which way must "
        "the second term push there, and does a plain tanh rise too fast or too slowly?",
    ),
    Mistake(
        "still a square",
        _inside(lambda x: ROOT * (x + 0.044715 * x**2)),
        "The sign is right now. But the gates of x and -x must add up to 1, as Phi(x) and Phi(-x) "
        "do. Which powers of x turn their sign with x?",
    ),
    Mistake(
        "square with the sign of x",
        _inside(lambda x: ROOT * (x + 0.044715 * x * x.abs())),
        "Yours turns its sign with x, as it should. But Phi has no kink in its "
        "curvature at 0: which is the next odd power after the first?",
    ),
    Mistake(
        "square with the sign of x, and a minus",
        _inside(lambda x: ROOT * (x - 0.044715 * x * x.abs())),
        "Yours turns its sign with x, as it should. But which is the next odd power after the "
        "first, and which way must it push far out?",
    ),
    Mistake(
        "fifth power",
        _inside(lambda x: ROOT * (x + 0.044715 * x**5)),
        "A fifth power is odd, which it must be. Is it the next odd power after the first?",
    ),
    Mistake(
        "second term left out",
        _inside(lambda x: ROOT * x),
        "You left the second term out. The form is then off by up to 0.03, as much as the sigmoid "
        "form; with the right term it is off by less than 0.0005.",
    ),
    Mistake(
        "cubic outside the bracket",
        _inside(lambda x: ROOT * x + 0.044715 * x**3),
        "Your cubic term is not multiplied by the root any more.",
    ),
    Mistake(
        "cubic outside the bracket, with a minus",
        _inside(lambda x: ROOT * x - 0.044715 * x**3),
        "The power is right. But your cubic term is not multiplied by the root any more, and it "
        "pushes the wrong way far out.",
    ),
    Mistake(
        "constant cubed",
        _inside(lambda x: ROOT * (x + (0.044715 * x) ** 3)),
        "You raise the constant to the third power together with x. Only x is cubed.",
    ),
    Mistake(
        "size cubed",
        _inside(lambda x: ROOT * (x + 0.044715 * x.abs() ** 3)),
        "The cube of the size of x does not turn its sign with x. The cube of x does.",
    ),
    Mistake(
        "minus before the tanh",
        lambda x: 0.5 * x * (1 - torch.tanh(ROOT * (x + 0.044715 * x**3))),
        "What stands inside the tanh is right. But your gate, 1 less the tanh, shuts where x is "
        "large.",
    ),
    Mistake(
        "root over two alone",
        _inside(lambda x: math.sqrt(2) / math.pi * (x + 0.044715 * x**3)),
        "The root goes over the 2 alone in yours. At 0 the slope of Phi is 1 / sqrt(2 pi).",
    ),
    Mistake(
        "root upside down",
        _inside(lambda x: math.sqrt(math.pi / 2) * (x + 0.044715 * x**3)),
        "Your root stands upside down: pi / 2 in place of 2 / pi. At 0 half the slope of the "
        "tanh must be 1 / sqrt(2 pi).",
    ),
    Mistake(
        "no root around 2 / pi",
        _inside(lambda x: 2 / math.pi * (x + 0.044715 * x**3)),
        "The root around 2 / pi is gone. It was right: at 0 half the slope of the tanh must be "
        "1 / sqrt(2 pi).",
    ),
    *(
        Mistake(
            f"root rounded to {root}",
            _inside(lambda x, root=root: root * (x + 0.044715 * x**3)),
            f"Your root, {root}, is rounded, and the form is further off for it. Let `math.sqrt` "
            "work it out.",
        )
        for root in (0.8, 0.798)
    ),
    Mistake(
        "fourth power",
        _inside(lambda x: ROOT * (x + 0.044715 * x**4)),
        "A fourth power is even: it is the same for x and -x. Which powers turn their sign with x?",
    ),
    Mistake(
        "bracket cubed",
        _inside(lambda x: ROOT * (x + 0.044715 * x) ** 3),
        "You cube the whole bracket. Only the x behind the constant is cubed.",
    ),
    Mistake(
        "logistic function for tanh",
        lambda x: x * torch.sigmoid(ROOT * (x + 0.044715 * x**3)),
        "You put the logistic function in place of (1 + tanh) / 2. They are the same curve, but at "
        "twice the argument.",
    ),
    Mistake(
        "logistic function inside",
        lambda x: 0.5 * x * (1 + torch.sigmoid(ROOT * (x + 0.044715 * x**3))),
        "You put the logistic function where the tanh stood, so your gate goes from 1/2 to 1.",
    ),
    Mistake(
        "a decimal too small",
        _inside(lambda x: ROOT * (x + 0.0044715 * x**3)),
        "Your constant is ten times too small. It was right in the snippet.",
    ),
    Mistake(
        "no root",
        _inside(lambda x: x + 0.044715 * x**3),
        "You took the root of 2 / pi away. It was right: at 0 the gate must rise as Phi does, and "
        "a plain tanh rises faster.",
    ),
    Mistake(
        "Taylor's constant",
        _inside(lambda x: ROOT * (x + (2 / (3 * math.pi) - 1 / 6) * x**3)),
        "Your constant fits the third derivative of Phi at 0. The published one is fitted over the "
        "whole range, and it was right in the snippet.",
    ),
    Mistake(
        "another decimal",
        _inside(lambda x: ROOT * (x + 0.44715 * x**3)),
        "Your constant is ten times too large. It was right in the snippet.",
    ),
    Mistake(
        "no half",
        lambda x: x * (1 + torch.tanh(ROOT * (x + 0.044715 * x**3))),
        "The half is gone. A tanh goes from -1 to 1; the gate has to go from 0 to 1.",
    ),
    Mistake(
        "no one",
        lambda x: 0.5 * x * torch.tanh(ROOT * (x + 0.044715 * x**3)),
        "The 1 is gone, so your gate goes from -1/2 to 1/2. It has to go from 0 to 1.",
    ),
    Mistake(
        "gate alone",
        lambda x: 0.5 * (1 + torch.tanh(ROOT * (x + 0.044715 * x**3))),
        "That is the gate. What does it have to be multiplied by?",
    ),
    Mistake(
        "exact",
        lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
        "That is GELU itself. A model that was trained with the tanh form wants the tanh form: "
        "the two differ in the fourth decimal place. Repair the tanh.",
    ),
    Mistake(
        "sigmoid form",
        lambda x: x * torch.sigmoid(1.702 * x),
        "That is the sigmoid form, which is forty times as far from GELU. Repair the tanh.",
    ),
    Mistake(
        "ReLU",
        torch.relu,
        "That is ReLU. What is asked for is the tanh form of GELU.",
    ),
)  # fmt: skip

repair_gelu = Exercise(
    name="lesson_32.repair_gelu",
    task=(
        "Two parts of `broken_gelu` are wrong; the constants and the root are right. Write "
        "`repair_gelu(x)`, the tanh form as it was published. It differs from GELU by less than "
        "0.0005 everywhere."
    ),
    stub=broken_gelu,
    reference=_solution,
    explanation=(
        "The gates of $x$ and $-x$ add up to 1 when what stands inside the tanh changes its sign "
        "with $x$. A square does not; the next odd power is the cube. And a tanh with the right "
        "slope at 0 rises too slowly further out: it needs more, not less, so the sign is plus. "
        "Both faults are small near 0, and a test at $x = 0$ or at $x = 0.1$ would have seen "
        "neither. Repair what can be derived, then measure the error over the whole range."
    ),
    cases=(
        Case({"x": torch.tensor([-2.0, -0.5, 1.0, 3.0], dtype=torch.float64)}),
        Case({"x": torch.linspace(-5, 5, 41, dtype=torch.float64)}),
        Case({"x": torch.linspace(-7, 4, 30, dtype=torch.float64).view(2, 3, 5)}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Phi(x) + Phi(-x) = 1. What does that ask of the expression inside the tanh when x turns "
        "into -x?",
        "Which of the two terms keeps its size and turns its sign with x, and which does not? For "
        "the sign between them, look at x = 3: `gelu(3)` lets nearly everything pass.",
        "```python\nsign, power = ..., ...   # 1 or -1; which one is odd?\n"
        "inside = x + sign * 0.044715 * x**power\n"
        "return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * inside))\n```",
    ),
    # A root written out to five figures is right; Taylor's constant is off by 4e-4.
    rtol=1e-5,
    atol=1e-5,
)
