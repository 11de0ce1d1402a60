"""Exercises whose answer is a whole number."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from course_lib.checks.coerce import Plain
from course_lib.checks.exercise import Exercise
from course_lib.checks.run import Case, Ran


@dataclass(eq=False, repr=False)
class Counting(Exercise):
    """An exercise with a whole number for an answer: a tensor or array of it is right as well."""

    def _run(self, function: Callable[..., Any], case: Case) -> Ran:
        ran = super()._run(function, case)
        if isinstance(ran.result, Plain):
            # A count has no fractions to lose, which the comparison warns of.
            return replace(ran, result=replace(ran.result, values=ran.result.values.double()))
        return ran
