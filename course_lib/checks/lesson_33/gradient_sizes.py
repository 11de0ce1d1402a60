"""Lesson 33, first exercise: foretell the gradient along a stack from what its sublayers add."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_33.gradient_sizes_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(added, returns, norm_first):
    """Size of the gradient at each of the n + 1 places, from the input up; the last is 1."""
    raise NotImplementedError


def _solution(added, returns, norm_first):
    n = len(added)
    size = torch.ones(n + 1, dtype=added.dtype)
    for i in reversed(range(n)):  # from the top down
        if norm_first:
            before = 1 + added[:i].sum()  # the stream's variance where sublayer i reads
            square = 1 + returns[i] * added[i] / before
        else:
            square = (1 + returns[i] * added[i]) / (1 + added[i])
        size[i] = size[i + 1] * square.sqrt()
    return size


def _case(added: list, returns: list, norm_first: bool, dtype: torch.dtype = torch.float64) -> Case:
    numbers = torch.tensor(added, dtype=dtype), torch.tensor(returns, dtype=dtype)
    return Case({"added": numbers[0], "returns": numbers[1], "norm_first": norm_first})


gradient_sizes = Exercise(
    name="lesson_33.gradient_sizes",
    task=(
        "Foretell the gradients of a new start without a backward pass. Write "
        "`gradient_sizes(added, returns, norm_first)` for a stream that begins with variance 1. "
        "`added[i]` is the variance of what sublayer $i$ adds, counted from the input; "
        "`returns[i]` is either 1 or 0: 1 if a gradient goes back through it as strongly as its "
        "values came forward, 0 if none does, because it adds the same whatever the stream holds. "
        "`norm_first` is True for Pre-LN, False for Post-LN. Assume that what is added is "
        "independent of the stream, and that squares of gradients add up in the same way. Return "
        "the size of the gradient at all `n + 1` places, from the input up, relative to the last. "
        "`added` and `returns` are tensors of one dtype; the answer is a tensor of that dtype."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "One sublayer at a time, from the top. The gradient arrives along the stream, with square "
        "1, and through the sublayer. In Post-LN the sublayer brings $v$ more, and the norm "
        "divides all of it by $1 + v$: the two cancel when the sublayer returns what it should, "
        "and $1 / (1 + v)$ is left when it returns nothing. In Pre-LN nothing divides the "
        "stream, but the norm in front of the sublayer divides what goes back through it by the "
        "variance of the stream there, which has grown by all that was added below."
    ),
    cases=(
        _case([0.5], [1], True),
        _case([1.0], [0], False),
        _case([0.5, 2.0], [1, 1], True),
        _case([0.25, 1.5, 0.75], [1, 0, 1], False),
        _case([0.25, 1.5, 0.75, 3.0], [1, 0, 1, 1], True),
        _case([0.5, 1.25, 0.1, 0.8, 2.0], [1, 1, 0, 1, 0], False, torch.float32),
        _case([0.7, 0.3, 1.1, 0.2, 0.9, 0.4], [1, 1, 1, 0, 1, 1], True, torch.float32),
    ),
    mistakes=MISTAKES,
    hints=(
        "Take one sublayer. The square of the gradient below it has two parts: what comes along "
        "the stream, and what comes through the sublayer. Which of them does each norm divide?",
        "Begin with the last place, which is 1, and go down. In Post-LN one sublayer's factor "
        "needs its own numbers alone. In Pre-LN it needs the variance of the stream where the "
        "sublayer reads it, which is 1 and all that was added below. Factors are for squares.",
        "```python\nn = len(added)\nsize = torch.ones(n + 1, dtype=added.dtype)\n"
        "for i in reversed(range(n)):\n"
        "    if norm_first:\n"
        "        before = ...          # variance of the stream below sublayer i\n"
        "        square = ...\n"
        "    else:\n"
        "        square = ...\n"
        "    size[i] = ...             # from size[i + 1]\n"
        "return size\n```",
    ),
    returns=("the sizes of the gradient",),
)
