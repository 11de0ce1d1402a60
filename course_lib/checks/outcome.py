"""What a learner sees after a check, a hint or a solution."""

import re
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

Kind = Literal["passed", "failed", "error", "not attempted"]


@dataclass(frozen=True, repr=False)
class Outcome:
    """The result of one check, as one sentence and what supports it.

    Args:
        kind: "failed" is a wrong answer, "error" an exception in the learner's function.
        exercise: Full name, such as ``lesson_01.temperature_softmax``.
        message: What to know first: the misconception, or what is wrong.
        details: Case, expected and actual values, or the learner's own line.
        mistake: Name of the known mistake that was recognised.
    """

    kind: Kind
    exercise: str
    message: str
    details: str = ""
    mistake: str | None = None

    @property
    def passed(self) -> bool:
        """True only for "passed"."""
        return self.kind == "passed"

    @property
    def is_failed_try(self) -> bool:
        """An attempt that did not pass: it opens the next hint."""
        return self.kind in ("failed", "error")

    def add(self, sentence: str) -> "Outcome":
        """The same outcome with one more line below."""
        return replace(self, details="\n".join(filter(None, [self.details, sentence])))

    def __repr__(self) -> str:
        """Plain text; this is also what a saved lesson holds."""
        text = f"{self.kind}: {self.exercise}. {self.message}"
        return f"{text}\n{self.details}" if self.details else text

    def _repr_html_(self) -> str:
        # No colour of our own, so that light and dark pages both stay readable.
        lines = "".join(f"<br>{inline_code(line)}" for line in self.details.splitlines())
        details = f'<span style="opacity: 0.8">{lines}</span>' if lines else ""
        return (
            '<div style="border-left: 3px solid currentColor; padding: 1px 0 1px 8px">'
            f"<b>{self.kind}:</b> {escape(self.exercise)}. {inline_code(self.message)}"
            f"{details}</div>"
        )


@dataclass(frozen=True, repr=False)
class Note:
    """A hint, a task or a solution: Markdown in a notebook, the same text elsewhere."""

    text: str

    def __repr__(self) -> str:
        """The Markdown source reads well enough as text."""
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def inline_code(text: str) -> str:
    """Escaped HTML in which `this` is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
