"""An exercise: a task, a check that knows the usual mistakes, hints and a solution."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

from IPython.display import display

from course_lib.checks.coerce import Wanted
from course_lib.checks.compare import capital, difference
from course_lib.checks.frames import (
    is_empty,
    is_placeholder,
    place,
    report,
    same_code,
    started,
)
from course_lib.checks.hints import Ladder
from course_lib.checks.mistakes import Mistake, alike, find_mistake
from course_lib.checks.outcome import Note, Outcome
from course_lib.checks.run import Case, Ran, run


@dataclass(eq=False, repr=False)
class Exercise:
    """What a lesson sets, and all that answers to it.

    Args:
        name: Full name, such as ``lesson_01.temperature_softmax``.
        task: What to write, in Markdown.
        stub: The function as the lesson shows it; raises NotImplementedError.
        reference: The solution.
        explanation: Why the solution is right, in Markdown.
        cases: From the most basic to the most demanding.
        mistakes: The first that fits is named.
        hints: A question, a pointer, the shape of the code; the solution follows by itself.
        returns: Names of what the function returns; one name for one thing.
        number: Whether that one thing is a number.
    """

    name: str
    task: str
    stub: Callable[..., Any]
    reference: Callable[..., Any]
    explanation: str
    cases: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, str, str]
    returns: tuple[str, ...] = ("the result",)
    number: bool = False
    rtol: float = 1e-4
    atol: float = 1e-6
    ladder: Ladder = field(init=False)

    def __post_init__(self) -> None:
        """A fresh ladder: nobody has tried yet."""
        self.reset()

    def reset(self) -> None:
        """Forget this session's tries, as if the kernel had been restarted."""
        self.ladder = Ladder((*self.hints, self._solution_text()))

    @property
    def short_name(self) -> str:
        """What the exercise is called inside its lesson."""
        return self.name.rpartition(".")[2]

    def check(self, function: Any = None) -> None:
        """Show whether the function is right; never raises, so that "Run all" goes on."""
        outcome = self.judge(function)
        self.ladder.passed |= outcome.passed
        self.ladder.failed_tries += outcome.is_failed_try
        if outcome.is_failed_try:
            more = f"`{self.short_name}.hint()` opens a hint" if self.ladder.has_more() else ""
            left = self.ladder.tries_before_solution()
            solution = "" if left else f"`{self.short_name}.solution()` shows the solution"
            outcome = outcome.add("; ".join(filter(None, [more, solution])) + ".")
        display(outcome)

    def hint(self) -> None:
        """Show the next hint that a failed try has opened."""
        display(Note(self.ladder.climb()))

    def solution(self) -> None:
        """Show solution and explanation after two failed tries or a passed check."""
        left = self.ladder.tries_before_solution()
        if left:
            tries = "try" if left == 1 else "tries"
            display(Note(f"The solution opens after {left} more {tries}, or once a check passes."))
        else:
            display(Note(self._solution_text()))

    def judge(self, function: Any) -> Outcome:
        """The outcome as an object, without counting it as a try: for tests and graders."""
        if function is None or function is Ellipsis:
            return self._outcome("not attempted", "Nothing was handed in yet.")
        if not callable(function):
            wanted = "Hand in the function itself, without brackets after its name."
            return self._outcome("error", wanted, f"It got a {type(function).__name__}.")
        tried = []
        for case in self.cases:
            tried.append(self._run(function, case))
            if len(tried) == 1 and (why := self._not_attempted(function, tried[0])):
                return self._outcome("not attempted", why)
        return self._verdict(function, tried)

    def _run(self, function: Callable[..., Any], case: Case) -> Ran:
        try:
            return run(function, case, Wanted(self.returns, self.number))
        except KeyboardInterrupt as interrupt:
            where = place(interrupt, function)
            display(Note(f"The check was interrupted. {where}"))
            raise

    def _not_attempted(self, function: Callable[..., Any], first: Ran) -> str:
        """Why this is no try; a function whose body was changed is one."""
        stub = run(self.stub, self.cases[0])
        # The code alone does not tell: a name that the stub lacks may be set in the notebook.
        if same_code(function, self.stub) and alike(first, stub, self.rtol, self.atol):
            return "This is still the function as it was given."
        if not is_empty(function):
            return ""
        error = first.error
        if (
            first.untouched
            or error
            and (is_placeholder(error, function) or not started(error, function))
        ):
            return "Write your version in place of what the body is now, then check again."
        return ""

    def _verdict(self, function: Callable[..., Any], tried: list[Ran]) -> Outcome:
        expected = [run(self.reference, case) for case in self.cases]
        calls = zip(self.cases, tried, expected, strict=True)
        problems = [self._problem(function, *call) for call in calls]
        first = next((problem for problem in problems if problem), None)
        if first is None:
            count = len(self.cases)
            return self._outcome("passed", f"All {count} cases agree with the reference.")
        mistake = None
        if not any(ran.changed for ran in tried):
            mistake = find_mistake(self.mistakes, self.cases, tried, expected, self.rtol, self.atol)
        if mistake is None:
            return first
        details = f"{first.message}\n{first.details}" if first.kind == "failed" else first.details
        return Outcome(first.kind, self.name, mistake.message, details, mistake.name)

    def _problem(
        self, function: Callable[..., Any], case: Case, ran: Ran, expected: Ran
    ) -> Outcome | None:
        """What is wrong in one case."""
        inputs = f"Case: {case.describe()}."
        if ran.error is not None:
            if is_placeholder(ran.error, function):
                message = (
                    "Your function gets as far as `raise NotImplementedError`; put "
                    "`return ...` there."
                )
                return self._outcome("failed", message, inputs)
            if not started(ran.error, function):
                names = ", ".join(case.inputs)
                message = f"The function could not be called as `f({names})`."
            else:
                message = "Your function stopped with an exception."
            return self._outcome("error", message, f"{report(ran.error, function)}\n{inputs}")
        if ran.changed:
            message = (
                f"Your function changes its input `{ran.changed}`, which belongs to the caller. "
                "Make a new tensor: no `x += ...`, no `x[...] = ...`, no method ending in `_`. "
                "(A slice or a transpose is no new one: it shares the memory.)"
            )
            return self._outcome("failed", message, inputs)
        if ran.unreadable:
            return self._outcome("failed", capital(ran.unreadable), inputs)
        wrong = difference(ran.result, expected.result, self.returns, self.rtol, self.atol)
        return self._outcome("failed", wrong, inputs) if wrong else None

    def _outcome(self, kind: str, message: str, details: str = "") -> Outcome:
        return Outcome(kind, self.name, message, details)

    def _solution_text(self) -> str:
        return f"One solution:\n\n```python\n{self.source(self.reference)}```\n\n{self.explanation}"

    def source(self, function: Callable[..., Any]) -> str:
        """Source of stub or reference under the name that the learner's function has."""
        text = dedent(inspect.getsource(function))
        own = inspect.unwrap(function).__name__
        return text.replace(f"def {own}(", f"def {self.short_name}(", 1)

    def __repr__(self) -> str:
        """The task."""
        return self.task

    def _repr_markdown_(self) -> str:
        return self.task
