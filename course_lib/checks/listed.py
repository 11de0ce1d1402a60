"""Exercises that take and give what tokenizers work on: lists of whole numbers, and text."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from course_lib.checks.coerce import Plain
from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.outcome import Outcome
from course_lib.checks.run import Case, Ran

_WHOLE = (int, np.int64, np.int32)
_MOST_SHOWN = 24  # numbers of a result; a loop gone wrong may give thousands


def listed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function be compared: it gets copies of lists and dicts, and its list becomes numbers.

    A text becomes the numbers of its characters.
    """

    def call(*inputs: Any) -> Any:
        returned = function(*(x.copy() if isinstance(x, list | dict) else x for x in inputs))
        return _numbers(returned)

    call.__wrapped__ = function  # not functools.wraps: an odd object may answer for any name
    return call


def listed_mistake(name: str, wrong: Callable[..., Any], message: str) -> Mistake:
    """A known wrong answer that gives a list or a text."""
    return Mistake(name, listed(wrong), message)


def _numbers(returned: Any) -> Any:
    """A list, a tuple or a text as a tensor; anything else as it is, to be told about."""
    if isinstance(returned, str):
        return torch.tensor([ord(character) for character in returned], dtype=torch.int64)
    if type(returned) in (list, tuple) and all(type(item) in _WHOLE for item in returned):
        return torch.tensor([int(item) for item in returned], dtype=torch.int64)
    return returned


@dataclass(eq=False, repr=False)
class Listed(Exercise):
    """An exercise whose answer is a list of whole numbers or, with `text`, a text.

    Args:
        text: whether the answer is a text.
    """

    text: bool = False

    def _run(self, function: Callable[..., Any], case: Case) -> Ran:
        changed = []

        def watched(*inputs: Any) -> Any:
            copies = [x.copy() if isinstance(x, dict) else x for x in inputs]
            returned = function(*copies)
            pairs = zip(case.inputs, inputs, copies, strict=True)
            changed.extend(name for name, x, y in pairs if isinstance(x, dict) and x != y)
            return returned

        ran = super()._run(listed(watched), case)
        return replace(ran, changed=changed[0]) if changed else ran

    def _problem(
        self, function: Callable[..., Any], case: Case, ran: Ran, expected: Ran
    ) -> Outcome | None:
        """What is wrong in one case, shown as what came out beside what should have."""
        problem = super()._problem(function, case, ran, expected)
        if problem is None:
            return None
        if ran.changed and ran.error is None:
            message = (
                f"Your function changes its input `{ran.changed}`, which belongs to the caller. "
                "Work on a copy of it."
            )
            return replace(problem, message=message)
        if ran.unreadable is not None:
            return problem if ran.untouched else replace(problem, message=self._wanted)
        if isinstance(ran.result, Plain) and ran.result.values.ndim != 1:
            return replace(problem, message=self._wanted)
        both = [self._shown(one.result) for one in (ran, expected)]
        if problem.kind != "failed" or None in both:
            return problem
        return replace(problem, message=f"The result is {both[0]}; expected {both[1]}.")

    @property
    def _wanted(self) -> str:
        wanted = "a text" if self.text else "a list of whole numbers"
        return f"Your function must return {wanted}."

    def _shown(self, result: Any) -> str | None:
        """The list or the text that the numbers stand for; None when they are no such thing."""
        if not isinstance(result, Plain) or result.values.ndim != 1:
            return None
        numbers = result.values.tolist()
        if self.text and all(isinstance(n, int) and 0 <= n < 0x110000 for n in numbers):
            return repr("".join(map(chr, numbers)))
        if len(numbers) > _MOST_SHOWN:
            first = ", ".join(map(str, numbers[:_MOST_SHOWN]))
            return f"[{first}, ... {len(numbers)} numbers in all]"
        return str(numbers)
