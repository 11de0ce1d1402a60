"""Lesson 22, third exercise: repair a masked softmax that fails in float16 and on empty rows."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_masked_softmax(scores, visible):
    """Masking as it is often printed: fails in float16, and leaks where all is hidden."""
    scores = scores.masked_fill(visible == 0, -1e9)
    return torch.softmax(scores, dim=-1)


def _solution(scores, visible):
    lowest = torch.finfo(scores.dtype).min  # the most negative number that this dtype has
    shares = torch.softmax(scores.masked_fill(~visible, lowest), dim=-1)
    return shares.masked_fill(~visible, 0.0)  # where a row may read nothing, nothing is left


def _filled(scores, visible, fill, dim=-1):
    return torch.softmax(scores.masked_fill(~visible, fill), dim=dim)


def _with_lowest(scores, visible):
    return _filled(scores, visible, torch.finfo(scores.dtype).min)


def _renormalised(scores, visible):
    shares = torch.softmax(scores, dim=-1) * visible
    return shares / shares.sum(dim=-1, keepdim=True)


def _opened(scores, visible):
    return _filled(scores, visible | ~visible.any(dim=-1, keepdim=True), -torch.inf)


MISTAKES = (
    Mistake(
        "still -1e9",
        lambda scores, visible: _filled(scores, visible, -1e9),
        "The dtype float16 ends at 65504, so it has no -1e9, and `masked_fill` says so. Which "
        "number means hidden in every dtype, or where can you ask a dtype for its lowest one?",
    ),
    Mistake(
        "-1e9, by where",
        lambda scores, visible: torch.softmax(torch.where(visible, scores, -1e9), dim=-1),
        "`torch.where` takes -1e9 in float16 and quietly makes -inf of it: an empty row is NaN in "
        "float16 and equal shares in float32. Which fill do you want, and what shall an empty row "
        "be?",
    ),
    Mistake(
        "-inf, empty rows are NaN",
        lambda scores, visible: _filled(scores, visible, -torch.inf),
        "Right for every row that may read something. A row of nothing but -inf is 0 / 0. The task "
        "wants zeros there: which rows are those?",
    ),
    Mistake(
        "lowest number, empty rows read everything",
        _with_lowest,
        "It works in every dtype now. But where all keys are hidden, all have the same score, so "
        "each gets an equal share: such a row reads everything. Should it not read nothing?",
    ),
    Mistake(
        "-10000",
        lambda scores, visible: _filled(scores, visible, -1e4).masked_fill(~visible, 0.0),
        "Even float16 can hold -10000, and your last step is right. But a score below -10000 loses "
        "to the hidden ones. Which number can no score go below?",
    ),
    Mistake(
        "-10000, empty rows read everything",
        lambda scores, visible: _filled(scores, visible, -1e4),
        "Even float16 can hold -10000. But a row in which everything is -10000 gives every key an "
        "equal share; and a score below -10000 loses to the hidden ones.",
    ),
    Mistake(
        "hidden with 0",
        lambda scores, visible: _filled(scores, visible, 0.0),
        "You set hidden scores to 0. What is e^0? A share of 0 needs a score far below all others.",
    ),
    Mistake(
        "hidden after the softmax",
        lambda scores, visible: torch.softmax(scores, dim=-1) * visible,
        "What do your rows sum to when a key is hidden? The share of a hidden key is thrown away "
        "after the softmax, when it should go to the others.",
    ),
    Mistake(
        "renormalised after the softmax",
        _renormalised,
        "Shares of what may be read, divided by their sum: right until that sum is 0. It is 0 in "
        "an empty row, and where a hidden key scores so high that all others round to 0.",
    ),
    Mistake(
        "empty rows opened",
        _opened,
        "A row with nothing to read is opened to everything in yours, hidden keys included. The "
        "task wants zeros there.",
    ),
    Mistake(
        "mask inverted",
        lambda scores, visible: _solution(scores, ~visible),
        "Is True a key that may be read, or one that is hidden? Yours reads exactly the hidden "
        "ones. (Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "softmax over the queries",
        lambda scores, visible: _filled(
            scores, visible, torch.finfo(scores.dtype).min, dim=-2
        ).masked_fill(~visible, 0.0),
        "Your softmax runs over the queries. Each query, one row, shares its attention out among "
        "the keys: the last axis.",
    ),
    Mistake(
        "mask ignored",
        lambda scores, visible: torch.softmax(scores, dim=-1),
        "`visible` makes no difference in your function.",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(22)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    # One key may be read by nobody, but no row is empty.
    some = torch.tensor([[True, True, False, False, True], [False, True, True, False, False]])
    empty = torch.tensor([[True, False, True], [False, False, False], [True, True, False],
                          [False, False, True]])  # fmt: skip
    ahead = scores(2, 5)
    ahead[:, 3] = 300.0  # the key that nobody may read scores far above all others
    return (
        Case({"scores": scores(2, 5), "visible": some}),
        Case({"scores": scores(3, 2, 5).half(), "visible": some}),
        Case({"scores": scores(4, 3), "visible": empty}),
        Case({"scores": scores(4, 3).half(), "visible": empty}),
        Case({"scores": scores(4, 3).bfloat16(), "visible": empty}),
        Case({"scores": ahead, "visible": some}, extreme=1),
        Case({"scores": scores(4, 3) - 20_000, "visible": empty}, extreme=1),
    )


masked_softmax = Exercise(
    name="lesson_22.masked_softmax",
    task=(
        "The function below is printed in many places. It fails in float16, and a row with nothing "
        "to read quietly reads everything. Repair it. `scores` has any float dtype and any leading "
        "axes; `visible` is bool and stretches to them, **True = may be read**. A hidden key gets "
        "a share of exactly 0, the others of its row share everything; a row that may read nothing "
        "is all zeros. Keep the dtype."
    ),
    stub=broken_masked_softmax,
    reference=_solution,
    explanation=(
        "`torch.finfo(dtype).min` is the lowest number that a dtype has, so no score can lie below "
        "it. In a row with something to read, the hidden keys are so far behind that their "
        "exponentials are exactly 0. In an empty row all keys are level and get equal shares; the "
        "last line takes them away. To fill with -inf and turn the NaN of empty rows into zeros "
        "afterwards is right as well; to leave the NaN there is not, even in a row whose output "
        "nobody uses, because 0 times NaN is NaN in every sum it comes into."
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "Which is the lowest number that float16 has, and how would you ask for it? And what do "
        "the shares in a row look like when all its scores are that number?",
        "`torch.finfo` knows the lowest number of a dtype; hide with that. Then the rows with "
        "nothing to read need a second step, after the softmax.",
        "```python\nlowest = torch.finfo(...).min\n"
        "shares = torch.softmax(scores.masked_fill(..., lowest), dim=-1)\n"
        "return shares.masked_fill(...)   # what is left where nothing may be read?\n```",
    ),
    returns=("the shares",),
    rtol=5e-3,  # the last digit of bfloat16
    atol=1e-4,
)
