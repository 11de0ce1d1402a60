"""Lesson 34: the variance that the attention of a fresh block writes to the stream."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(d_model, std, writer_std, n_positions):
    """The variance of a number that attention writes, averaged over the positions of a text."""
    raise NotImplementedError


def _solution(d_model, std, writer_std, n_positions):
    value = d_model * std**2  # a sum of d_model products with numbers of variance 1
    average = value * sum(1 / seen for seen in range(1, n_positions + 1)) / n_positions
    return average * d_model * writer_std**2


def _wrong(kept=lambda n: [1 / k for k in range(1, n + 1)], over=lambda n: n,
           values=lambda d, s: d * s**2, writes=lambda d, s, w: d * w**2):  # fmt: skip
    """The right answer, but for what an average keeps, or one of the two matrices."""

    def wrong(d, s, w, n):
        return values(d, s) * sum(kept(n)) / over(n) * writes(d, s, w)

    return wrong


_right = _wrong()

_MISTAKES = (
    Mistake(
        "nothing is averaged",
        _wrong(kept=lambda n: [1.0] * n),
        "This is what the first position writes, which sees itself alone. What happens to the "
        "variance when k unlike values are averaged?",
    ),
    Mistake(
        "every position sees all",
        _wrong(kept=lambda n: [1 / n] * n),
        "You let every position average all n values, or look at the last one alone. With a causal "
        "mask the first sees 1, the second 2, and so on; the mean over all of them is wanted.",
    ),
    Mistake(
        "one over the mean number",
        _wrong(kept=lambda n: [2 / (n + 1)] * n),
        "You take one over the mean number of tokens that are seen. What is wanted is the mean of "
        "one over that number, and the two differ: the first positions count for more.",
    ),
    Mistake(
        "weights squared once too often",
        _wrong(kept=lambda n: [1 / k**2 for k in range(1, n + 1)]),
        "An average of k values has k terms, each with the weight 1/k. You square the weight and "
        "forget that there are k of them.",
    ),
    Mistake(
        "spread of an average",
        _wrong(kept=lambda n: [k**-0.5 for k in range(1, n + 1)]),
        "The standard deviation of an average of k values goes with one over the root of k. What "
        "about the variance?",
    ),
    Mistake(
        "values are added up",
        _wrong(kept=lambda n: range(1, n + 1)),
        "You add the values that a position sees. Attention averages them: its shares sum to 1.",
    ),
    Mistake(
        "sum over the positions",
        _wrong(over=lambda n: 1),
        "You add up the variances of all positions. Take their mean.",
    ),
    Mistake(
        "last position left out",
        _wrong(kept=lambda n: [1 / k for k in range(1, n)]),
        "One position is missing: the last one sees all n tokens. Does your range stop too early?",
    ),
    Mistake(
        "last position left out of the count as well",
        _wrong(kept=lambda n: [1 / k for k in range(1, n)], over=lambda n: n - 1),
        "You look at n - 1 positions. The last one, which sees all n tokens, is missing.",
    ),
    Mistake(
        "first position left out",
        _wrong(kept=lambda n: [1 / k for k in range(2, n + 1)]),
        "The first position is missing, which sees itself alone. Does your range start too late?",
    ),
    Mistake(
        "logarithm for the sum",
        _wrong(kept=lambda n: [math.log(n)]),
        "The logarithm of n is what 1 + 1/2 + ... + 1/n comes near to for large n. For a few "
        "positions add up the terms.",
    ),
    Mistake(
        "the average alone",
        _wrong(values=lambda d, s: 1.0, writes=lambda d, s, w: 1.0),
        "This is the share that averaging keeps. What do the two matrices do to the variance?",
    ),
    Mistake(
        "one value",
        _wrong(kept=lambda n: [1.0] * n, writes=lambda d, s, w: 1.0),
        "This is the variance of one value. It is still averaged, and passes one more matrix.",
    ),
    Mistake(
        "a position does not see itself",
        _wrong(kept=lambda n: [1 / (k + 1) for k in range(1, n + 1)]),
        "Your first position averages two values. It sees itself and nothing else.",
    ),
    Mistake(
        "writer not squared",
        _wrong(writes=lambda d, s, w: d * w),
        "`writer_std` is a standard deviation. A product with a weight has the weight's variance "
        "in it.",
    ),
    Mistake(
        "std not squared",
        _wrong(values=lambda d, s: d * s),
        "`std` is a standard deviation. A value is a sum of products, and each has the weight's "
        "variance.",
    ),
    Mistake(
        "neither squared",
        _wrong(values=lambda d, s: d * s, writes=lambda d, s, w: d * w),
        "Both spreads are standard deviations, and you use them as variances.",
    ),
    Mistake(
        "the writer drawn like the rest",
        _wrong(writes=lambda d, s, w: d * s**2),
        "Your answer does not depend on `writer_std`: you give the writer the spread of the other "
        "matrices.",
    ),
    Mistake(
        "no writer",
        _wrong(writes=lambda d, s, w: 1.0),
        "This is the variance of the averaged values. One more matrix stands between them and the "
        "stream.",
    ),
    Mistake(
        "values of variance 1",
        _wrong(values=lambda d, s: 1.0),
        "You take the values to have variance 1. What is normalised is what the value matrix "
        "reads; what does it make of it?",
    ),
    Mistake(
        "width once",
        _wrong(writes=lambda d, s, w: w**2),
        "The width stands in your answer once. The value matrix sums up `d_model` products for "
        "each number, and so does the writer.",
    ),
    Mistake(
        "no width at all",
        _wrong(values=lambda d, s: s**2, writes=lambda d, s, w: w**2),
        "The width is missing: each of the two matrices sums up `d_model` products.",
    ),
    Mistake(
        "four times the width",
        _wrong(writes=lambda d, s, w: 4 * d * w**2),
        "It is the feed-forward layer's writer that reads four times the width. Attention's reads "
        "`d_model` numbers.",
    ),
    Mistake(
        "spread returned",
        lambda d, s, w, n: math.sqrt(_right(d, s, w, n)),
        "This is the standard deviation of what is written. Variances are what adds up later.",
    ),
)

attention_write = Exercise(
    name="lesson_34.attention_write",
    task=(
        "Attention in a fresh block reads `n_positions` unlike, normalised vectors of width "
        "`d_model`. The value matrix has spread `std`, the writer `writer_std`; both are square. "
        "Scores are still about 0, so each position averages the values of all tokens that it "
        "sees: itself and those before it. Write `attention_write(d_model, std, writer_std, "
        "n_positions)`: the variance of one number that is written, as the mean over all positions."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "A value is a sum of $d$ products of a number with variance 1 and a weight with variance "
        "$\\sigma^2$, so it has variance $d\\,\\sigma^2$. The average of $k$ unlike values keeps "
        "$1/k$ of that, and over positions 1 to $T$ the mean is $H = \\frac1T \\sum 1/k$. The "
        "writer again sums $d$ products, so it multiplies the variance by $d\\,s^2$, with $s$ for "
        "`writer_std`. Together $d\\,\\sigma^2 \\cdot H \\cdot d\\,s^2$."
    ),
    cases=(
        Case({"d_model": 100, "std": 0.2, "writer_std": 0.3, "n_positions": 3}),
        Case({"d_model": 768, "std": 0.02, "writer_std": 0.004, "n_positions": 32}),
        Case({"d_model": 1600, "std": 0.01, "writer_std": 0.02, "n_positions": 7}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Three steps lead from the normalised vector to the stream: a matrix, an average, a "
        "matrix. What does each do to the variance?",
        "A matrix turns variance v into a sum of so many products with v times the weight's "
        "variance. An average of k unlike values keeps a k-th. Which k does position 1 have, "
        "which the last?",
        "```python\nvalue = ...      # variance of one value\n"
        "average = ...    # the mean over positions of what averaging leaves\n"
        "return average * ...\n```",
    ),
    returns=("the variance",),
    number=True,
    atol=1e-9,
)  # fmt: skip
