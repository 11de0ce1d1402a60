"""Hints that open one at a time, each after a try that did not pass."""

from dataclasses import dataclass, field

TRIES_BEFORE_SOLUTION = 2


@dataclass
class Ladder:
    """How far up the hints one learner is, in this session only.

    Args:
        rungs: A question, a pointer, the shape of the code, the solution.
        failed_tries: Checks that did not pass.
        passed: Whether one did.
    """

    rungs: tuple[str, ...]
    failed_tries: int = 0
    passed: bool = False
    _shown: int = field(default=0, init=False)

    def climb(self) -> str:
        """The next hint if a failed try has opened it, else the last one and how to get on."""
        if self._shown < min(self.failed_tries, len(self.rungs)):
            self._shown += 1
            return self._rung()
        if not self._shown:
            return "Passed already." if self.passed else "Try first: a check that fails opens one."
        if self._shown == len(self.rungs):
            return self._rung()
        return f"{self._rung()}\n\nThe next hint opens after another try."

    def tries_before_solution(self) -> int:
        """How many more failed tries open the solution; a passed check opens it too."""
        return 0 if self.passed else max(0, TRIES_BEFORE_SOLUTION - self.failed_tries)

    def has_more(self) -> bool:
        """Whether ``climb`` would show something new."""
        return self._shown < min(self.failed_tries, len(self.rungs))

    def _rung(self) -> str:
        rung = self.rungs[self._shown - 1]
        gap = "\n\n" if rung.startswith("```") else " "  # a fence must begin its line
        return f"**Hint {self._shown} of {len(self.rungs)}.**{gap}{rung}"
