"""Known wrong answers, so that a learner hears which misconception theirs comes from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.checks.compare import agree
from course_lib.checks.frames import message
from course_lib.checks.run import Case, Ran, run


@dataclass(frozen=True)
class Mistake:
    """A wrong function that people write, and what to tell them.

    Args:
        name: For tests and teachers.
        wrong: The function; it must differ from the solution and from every other mistake.
        message: Names the misconception, if possible as a question.
    """

    name: str
    wrong: Callable[..., Any]
    message: str

    def fitted(self, cases: Sequence[Case], tried: Sequence[Ran]) -> "Mistake":
        """The mistake to compare with what the learner's function gave in these cases."""
        return self


@dataclass(frozen=True)
class Family(Mistake):
    """Wrong functions that differ in a number, which is read off the learner's results.

    Args:
        fit: Gives the wrong function with that number and its message, or None.  What it gives is
            compared like any other mistake, so a rough guess names nothing.
    """

    fit: Callable[[Sequence[Case], Sequence[Ran]], tuple[Callable[..., Any], str] | None]

    def fitted(self, cases: Sequence[Case], tried: Sequence[Ran]) -> Mistake:
        """The member of the family that comes closest; without any, the example itself."""
        found = self.fit(cases, tried)
        return Mistake(self.name, *found) if found else self


def find_mistake(
    mistakes: Sequence[Mistake],
    cases: Sequence[Case],
    tried: Sequence[Ran],
    expected: Sequence[Ran],
    rtol: float,
    atol: float,
) -> Mistake | None:
    """The first mistake that gives what the learner gave: in all cases, else in ordinary ones.

    The further looks, each without the most extreme cases of the one before, are for two mistakes
    at once, say a wrong formula that overflows besides: the formula is to be heard about first.
    """
    candidates = [mistake.fitted(cases, tried) for mistake in mistakes]
    ran = [[run(mistake.wrong, case) for case in cases] for mistake in candidates]

    def all_alike(ones: Sequence[Ran], others: Sequence[Ran], looked_at: Sequence[int]) -> bool:
        return all(alike(ones[i], others[i], rtol, atol) for i in looked_at)

    for extreme in sorted({int(case.extreme) for case in cases}, reverse=True):
        looked_at = [i for i, case in enumerate(cases) if case.extreme <= extreme]
        for mistake, wrong in zip(candidates, ran, strict=True):
            # A mistake that shows only in extreme cases is none in the ordinary ones.
            if all_alike(tried, wrong, looked_at) and not all_alike(expected, wrong, looked_at):
                return mistake
    return None


def alike(one: Ran, other: Ran, rtol: float, atol: float) -> bool:
    """Whether two functions did the same in one case: the same result, or the same exception."""
    if one.error is not None and other.error is not None:
        return type(one.error) is type(other.error) and message(one.error) == message(other.error)
    if one.result is None or other.result is None:
        return False
    return agree(one.result, other.result, rtol, atol)
