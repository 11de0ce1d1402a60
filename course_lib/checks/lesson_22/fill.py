"""Lesson 22, third exercise: repair a masked softmax that fails in float16 and on empty rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from course_lib.checks.coerce import Plain
from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_22.fill_mistakes import (
    LOST_DTYPE,
    MISTAKES,
    NAN_GRADIENT,
    NO_WAY_BACK,
)
from course_lib.checks.lesson_22.told import Told
from course_lib.checks.mistakes import Mistake, alike
from course_lib.checks.outcome import Outcome
from course_lib.checks.run import Case, Ran, run, state_kept


def broken_masked_softmax(scores, visible):
    """Masking as it is often printed: fails in float16, and leaks where all is hidden."""
    scores = scores.masked_fill(visible == 0, -1e9)
    return torch.softmax(scores, dim=-1)


def _solution(scores, visible):
    lowest = torch.finfo(scores.dtype).min  # the most negative number that this dtype has
    shares = torch.softmax(scores.masked_fill(~visible, lowest), dim=-1)
    return shares.masked_fill(~visible, 0.0)  # where a row may read nothing, nothing is left


# One key may be read by nobody in the first, but no row is empty; in the second one row is empty
# and one is open to all.
SOME = torch.tensor([[True, True, False, False, True], [False, True, True, False, False]])
EMPTY = torch.tensor(
    [[True, False, True], [False, False, False], [True, True, False], [True, True, True]]
)


@dataclass(eq=False, repr=False)
class Differentiable(Exercise):
    """An exercise whose answer must keep the dtype and let the gradient through."""

    def judge(self, function: Any) -> Outcome:
        """The outcome; when all values are right, the gradient is looked at as well."""
        outcome = super().judge(function)
        wrong = _wrong_in_gradient(function) if outcome.passed else None
        if wrong is None:
            return outcome
        details = "Case: backwards from a row with something to read; another row is empty."
        return Outcome("failed", self.name, wrong.message, details, wrong.name)

    def _verdict(self, function: Callable[..., Any], tried: list[Ran]) -> Outcome:
        """Known mistakes are compared by value, so a lost dtype has to be told before them."""
        expected = run(self.reference, self.cases[0])
        pairs = zip(self.cases, tried, strict=True)
        lost = [case for case, ran in pairs if _has_lost_dtype(case, ran)]
        if lost and alike(tried[0], expected, self.rtol, self.atol):
            details = f"Case: {lost[0].describe()}."
            return Outcome("failed", self.name, LOST_DTYPE.message, details, LOST_DTYPE.name)
        return super()._verdict(function, tried)


def _has_lost_dtype(case: Case, ran: Ran) -> bool:
    given, out = case.inputs["scores"].dtype, ran.result
    return (
        given == torch.float16
        and isinstance(out, Plain)
        and out.origin == "tensor"
        and out.values.dtype == torch.float32
    )


def _wrong_in_gradient(function: Callable[..., Any]) -> Mistake | None:
    """What is wrong on the way back; a function that leaves PyTorch has no way back to judge."""
    scores = torch.linspace(-1, 1, EMPTY.numel()).view(EMPTY.shape).requires_grad_()
    with state_kept(), torch.enable_grad():
        try:
            out = function(scores.clone(), EMPTY.clone())
        except Exception:
            return None
        if not out.requires_grad:
            return None
        try:
            (gradient,) = torch.autograd.grad(out[EMPTY.any(dim=-1), 0].sum(), scores)
        except RuntimeError:
            return NO_WAY_BACK
    return None if gradient.isfinite().all() else NAN_GRADIENT


def _cases() -> tuple[Told, ...]:
    generator = torch.Generator().manual_seed(22)

    def case(words, visible, dtype, *batch, times=1.0, plus=0.0, extreme=0) -> Told:
        drawn = torch.randn(*batch, *visible.shape, generator=generator)
        scores = (drawn * times + plus).to(dtype)
        shape = str(tuple(scores.shape))
        words = f"scores of shape {shape}, {str(dtype).removeprefix('torch.')}; {words}"
        return Told({"scores": scores, "visible": visible}, extreme=extreme, words=words)

    every_row, one_empty = "every row has something to read", "one row has nothing to read"
    ahead = torch.zeros(2, 5)
    ahead[:, 3] = torch.tensor([20_000.0, 500.0])  # the key that nobody may read
    low = torch.tensor([[-20_000.0], [0.0], [0.0], [-20_000.0]])
    short, shorter, whole = torch.float16, torch.bfloat16, torch.float32
    return (
        case(every_row, SOME, whole),
        case(every_row, SOME, short, 3),
        case(one_empty, EMPTY, whole),
        case(one_empty, EMPTY, short),
        case(one_empty, EMPTY, shorter),
        case(
            "a hidden key scores 20000 in one row, 500 in the other",
            SOME,
            whole,
            plus=ahead,
            extreme=1,
        ),
        case("some rows score near -20000", EMPTY, whole, plus=low, extreme=1),
        case("scores near -20000", EMPTY, short, times=40, plus=-20_000, extreme=1),
        case("scores near a million below 0", EMPTY, whole, plus=-1e6, extreme=1),
    )


masked_softmax = Differentiable(
    name="lesson_22.masked_softmax",
    task=(
        "The function below is printed in many places. It fails in float16, and a row with nothing "
        "to read quietly reads everything. Repair it. `scores` has any float dtype and any leading "
        "axes; `visible` is bool and stretches to them, **True = may be read**. A hidden key gets "
        "a share of exactly 0, the others of its row share everything; a row that may read nothing "
        "is all zeros. Keep the dtype, and leave no NaN in the gradient either."
    ),
    stub=broken_masked_softmax,
    reference=_solution,
    explanation=(
        "`torch.finfo(dtype).min` is the lowest number that a dtype has, so no score can lie below "
        "it. In a row with something to read, the hidden keys are so far behind that their "
        "exponentials are exactly 0. In an empty row all keys are level and get equal shares; the "
        "last line takes them away. To put -inf there with `masked_fill` and turn the NaN of empty "
        "rows into zeros afterwards is right as well, because `masked_fill` lets no gradient back "
        "to what it has filled. To *add* -inf there is not: a sum does let it back, and it is NaN."
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
    rtol=2**-6,  # bfloat16 has 8 binary digits, and a hand-written softmax rounds several times
    atol=1e-6,
)
