"""Lesson 34: the standard deviation that gives the stream a chosen variance."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(added, n_layers, d_in, mean_square):
    """The writers' standard deviation, so that all blocks together add the variance `added`."""
    raise NotImplementedError


def _solution(added, n_layers, d_in, mean_square):
    per_write = added / (2 * n_layers)  # two sublayers a block write, and variances add up
    return math.sqrt(per_write / (d_in * mean_square))


_MISTAKES = (
    Mistake(
        "variance returned",
        lambda a, n, d, m: a / (2 * n * d * m),
        "This is the variance of a weight. `normal_` and the papers' 0.02 are standard deviations: "
        "take the root.",
    ),
    Mistake(
        "one write a block",
        lambda a, n, d, m: math.sqrt(a / (n * d * m)),
        "You count one write a block. How many sublayers add to the stream in each?",
    ),
    Mistake(
        "one write a block, variance",
        lambda a, n, d, m: a / (n * d * m),
        "You count one write a block, and this is a variance. Count the sublayers, then take the "
        "root.",
    ),
    Mistake(
        "divided by 2L outside the root",
        lambda a, n, d, m: math.sqrt(a / (d * m)) / (2 * n),
        "You divide the standard deviation by 2L. It is the variances of the writes that add up: "
        "which power of the standard deviation has to shrink by 2L?",
    ),
    Mistake(
        "depth left out",
        lambda a, n, d, m: math.sqrt(a / (d * m)),
        "Your answer is the same at every depth. Then the variance grows with each block.",
    ),
    Mistake(
        "width left out",
        lambda a, n, d, m: math.sqrt(a / (2 * n * m)),
        "The width is missing: every number that is written is a sum of d_in products.",
    ),
    Mistake(
        "size of what is read left out",
        lambda a, n, d, m: math.sqrt(a / (2 * n * d)),
        "The mean square of what the writer reads is missing. It is 1 only after a norm.",
    ),
    Mistake(
        "mean square outside the root",
        lambda a, n, d, m: math.sqrt(a / (2 * n * d)) / m,
        "You divide by the mean square outside the root: it is a square already.",
    ),
    Mistake(
        "width outside the root",
        lambda a, n, d, m: math.sqrt(a / (2 * n * m)) / d,
        "You divide by the width outside the root. A sum of d_in products has d_in times the "
        "variance of one.",
    ),
    Mistake(
        "multiplied by the depth",
        lambda a, n, d, m: math.sqrt(a * 2 * n / (d * m)),
        "Your writers grow with the depth. More writes have to be smaller ones.",
    ),
    Mistake(
        "spread in place of variance",
        lambda a, n, d, m: a / math.sqrt(2 * n * d * m),
        "You take `added` as a standard deviation. It is a variance, so it stands under the root "
        "with the rest.",
    ),
)

spread_of_writers = Exercise(
    name="lesson_34.spread_of_writers",
    task=(
        "A fresh Pre-LN stack has `n_layers` blocks. In each, attention and the feed-forward layer "
        "write to the stream through a matrix that reads `d_in` numbers of mean square "
        "`mean_square` (taken as the same for both). Write `spread_of_writers(added, n_layers, "
        "d_in, mean_square)`: the standard deviation of the writers' weights, so that all blocks "
        "together add the variance `added`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One written number is a sum of d_in products, each with variance $\\sigma^2 m$, so its "
        "variance is $d\\,\\sigma^2 m$. The weights are drawn independently, so the variances of "
        "2L writes add up to $2L\\,d\\,\\sigma^2 m$. Solve for $\\sigma$: a root, and in it "
        "$1/(2L)$. That is where the $1/\\sqrt{2L}$ comes from, and why it belongs to the standard "
        "deviation."
    ),
    cases=(
        Case({"added": 1.0, "n_layers": 2, "d_in": 4, "mean_square": 1.0}),
        Case({"added": 0.5, "n_layers": 12, "d_in": 768, "mean_square": 0.3}),
        Case({"added": 2.0, "n_layers": 48, "d_in": 1600, "mean_square": 0.04}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "What is the variance of a sum of d_in products of independent numbers, and how many such "
        "sums are added to each feature of the stream?",
        "Write the variance of one write with sigma in it, multiply by the number of writes, set "
        "it equal to `added`, and solve for sigma.",
        "```python\nwrites = ...               # in the whole stack\n"
        "return math.sqrt(...)      # the variance of one weight\n```",
    ),
    returns=("the standard deviation",),
    number=True,
)
