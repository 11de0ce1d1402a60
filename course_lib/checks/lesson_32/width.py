"""Lesson 32, third exercise: how wide a gated layer may be for a given number of weights."""

import math

from course_lib.checks.counting import Counting
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(d_model, d_ff):
    """The widest inner width at which the gated layer has no more numbers than the plain one."""
    raise NotImplementedError


def _solution(d_model, d_ff):
    plain = 2 * d_model * d_ff + d_ff + d_model  # two matrices, two biases
    return plain // (3 * d_model)  # three matrices, no biases


def _plain(d_model, d_ff):
    return 2 * d_model * d_ff + d_ff + d_model


_MISTAKES = (
    Mistake(
        "biases of the plain layer left out",
        lambda d_model, d_ff: 2 * d_ff // 3,
        "Two thirds is right for the matrices. The plain layer has two biases besides, and where "
        "d_ff is large against d_model they pay for another unit or more.",
    ),
    Mistake(
        "two thirds, rounded",
        lambda d_model, d_ff: round(2 * d_ff / 3),
        "That is two thirds, rounded to the nearest. May the gated layer have more numbers than "
        "the plain one? And the plain layer has two biases. (Counting the second one alone gives "
        "the same.)",
    ),
    Mistake(
        "two thirds, rounded up",
        lambda d_model, d_ff: math.ceil(2 * d_ff / 3),
        "That is two thirds, rounded up: the gated layer may then have too many numbers. And the "
        "plain layer has biases, d_ff and d_model of them. (Counting d_model for each of the two "
        "gives the same.)",
    ),
    Mistake(
        "fewer",
        lambda d_model, d_ff: (_plain(d_model, d_ff) - 1) // (3 * d_model),
        "Yours has fewer numbers than the plain layer, always. At most as many: equal is allowed.",
    ),
    Mistake(
        "rounded to the nearest",
        lambda d_model, d_ff: round(_plain(d_model, d_ff) / (3 * d_model)),
        "The quotient is right, and you round it to the nearest. When it goes up, has the gated "
        "layer still at most as many numbers?",
    ),
    Mistake(
        "both biases as wide as the middle",
        lambda d_model, d_ff: (2 * d_model * d_ff + 2 * d_ff) // (3 * d_model),
        "You count d_ff numbers for both biases. How wide is what the second matrix gives?",
    ),
    Mistake(
        "the other way round",
        lambda d_model, d_ff: _plain(d_model, d_ff) // (3 * d_ff),
        "You divide by three times d_ff. One inner unit of the gated layer has d_model numbers in "
        "each matrix.",
    ),
    Mistake(
        "a multiple of 256",
        lambda d_model, d_ff: -(-(2 * d_ff // 3) // 256) * 256,
        "You round up to a multiple of 256, as LLaMA's code does. Asked for is the "
        "largest width that fits.",
    ),
    Mistake(
        "a multiple of 8",
        lambda d_model, d_ff: _plain(d_model, d_ff) // (3 * d_model) // 8 * 8,
        "You round down to a multiple of 8. That may suit hardware, but wider ones fit as well.",
    ),
    Mistake(
        "numbers of the gated layer",
        lambda d_model, d_ff: _plain(d_model, d_ff) // (3 * d_model) * 3 * d_model,
        "That is how many numbers the gated layer has at the right width. Asked for is the width.",
    ),
    Mistake(
        "rounded up",
        lambda d_model, d_ff: -(-_plain(d_model, d_ff) // (3 * d_model)),
        "You round up, and then the gated layer has more numbers than the plain one.",
    ),
    Mistake(
        "not rounded",
        lambda d_model, d_ff: _plain(d_model, d_ff) / (3 * d_model),
        "A width is a whole number: which way do you round, so that there are not too many?",
    ),
    Mistake(
        "two thirds, not rounded",
        lambda d_model, d_ff: 2 * d_ff / 3,
        "That is two thirds, which may be no whole number. Which way do you round? And the plain "
        "layer has two biases that may pay for another unit.",
    ),
    Mistake(
        "divided by three, the width forgotten",
        lambda d_model, d_ff: _plain(d_model, d_ff) // 3,
        "You divide by the number of matrices. How many numbers does one inner unit have in each "
        "of them?",
    ),
    Mistake(
        "always eight thirds",
        lambda d_model, d_ff: 8 * d_model // 3,
        "Eight thirds of d_model are for a plain layer of 4 d_model. Here d_ff is given, and it "
        "may be anything.",
    ),
    Mistake(
        "two matrices",
        lambda d_model, d_ff: _plain(d_model, d_ff) // (2 * d_model),
        "You divide by two matrices. How many has the gated layer?",
    ),
    Mistake(
        "the same width",
        lambda d_model, d_ff: d_ff,
        "With the same width the gated layer has half as many numbers again: it has three "
        "matrices.",
    ),
    Mistake(
        "half as wide",
        lambda d_model, d_ff: d_ff // 2,
        "Half of the width is for a layer with four matrices. How many has the gated one?",
    ),
    Mistake(
        "biases in the gated layer",
        lambda d_model, d_ff: (_plain(d_model, d_ff) - d_model) // (3 * d_model + 2),
        "You give the gated layer biases. The library's, after the paper, has none.",
    ),
    Mistake(
        "second bias forgotten",
        lambda d_model, d_ff: (2 * d_model * d_ff + d_ff) // (3 * d_model),
        "You count the bias of the first matrix alone. The second one has d_model of them.",
    ),
    Mistake(
        "a gate as wide as the stream",
        lambda d_model, d_ff: (_plain(d_model, d_ff) - d_model**2) // (2 * d_model),
        "Your gate has d_model squared weights. It has to give one number for each inner unit.",
    ),
    Mistake(
        "the number of weights",
        lambda d_model, d_ff: _plain(d_model, d_ff),
        "That is how many numbers the plain layer has. How many does one unit of the gated layer "
        "need?",
    ),
)  # fmt: skip

gated_width = Counting(
    name="lesson_32.gated_width",
    task=(
        "A plain feed-forward layer has two matrices **with biases** and inner width `d_ff`. A "
        "gated one has three matrices **without**. Write `gated_width(d_model, d_ff)`: the largest "
        "inner width at which the gated layer has at most as many numbers as the plain one."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The plain layer has $2\\,d_{model}\\,d_{ff}$ weights and $d_{ff} + d_{model}$ biases. "
        "Every inner unit of the gated layer takes a column of the gate, a column of $W_1$ and a "
        "row of $W_2$: $3\\,d_{model}$ numbers. So the answer is the whole part of the quotient. "
        "Two thirds of `d_ff` is the rule of thumb, and the biases shift it by a unit or so; real "
        "models round to a multiple that suits their hardware."
    ),
    cases=(
        Case({"d_model": 6, "d_ff": 24}),
        Case({"d_model": 8, "d_ff": 40}),
        Case({"d_model": 768, "d_ff": 3072}),
        Case({"d_model": 5, "d_ff": 100}),
        Case({"d_model": 10, "d_ff": 17}),
        Case({"d_model": 4, "d_ff": 15}),
        Case({"d_model": 5, "d_ff": 20}),  # here the quotient is whole
        Case({"d_model": 8, "d_ff": 32}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "How many numbers does one inner unit cost in each of the two layers?",
        "Count all numbers of the plain layer, biases too. Every inner unit of the gated layer "
        "belongs to one column of two matrices and to one row of the third.",
        "```python\nplain = ...     # two matrices and two biases\n"
        "unit = ...      # what one inner unit of the gated layer costs\n"
        "return ...      # a whole number, and not too many\n```",
    ),
    returns=("the width",),
    number=True,
)
