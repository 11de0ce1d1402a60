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


def find_mistake(
    mistakes: Sequence[Mistake],
    cases: Sequence[Case],
    tried: Sequence[Ran],
    expected: Sequence[Ran],
    rtol: float,
    atol: float,
) -> Mistake | None:
    """The first mistake that gives what the learner gave: in all cases, else in the ordinary ones.

    The second look is for two mistakes at once, say a wrong formula that overflows besides: the
    formula is the thing to hear about first.
    """
    everything = range(len(cases))
    ordinary = [i for i in everything if not cases[i].extreme]

    def alike(ones: Sequence[Ran], others: Sequence[Ran], looked_at: Sequence[int]) -> bool:
        return all(_alike(ones[i], others[i], rtol, atol) for i in looked_at)

    for looked_at in (everything, ordinary):
        for mistake in mistakes:
            wrong = [run(mistake.wrong, case) for case in cases]
            # A mistake that shows only in extreme cases is none in the ordinary ones.
            if alike(tried, wrong, looked_at) and not alike(expected, wrong, looked_at):
                return mistake
    return None


def _alike(one: Ran, other: Ran, rtol: float, atol: float) -> bool:
    if one.error is not None and other.error is not None:
        return type(one.error) is type(other.error) and message(one.error) == message(other.error)
    if one.result is None or other.result is None:
        return False
    return agree(one.result, other.result, rtol, atol)
