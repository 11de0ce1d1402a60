"""A sentence of the course, held to the numbers that were measured for it."""

from dataclasses import dataclass
from html import escape
from typing import Any

from IPython.display import display
from torch import Tensor

from course_lib.checks.conditions import Condition, condition_from, failures
from course_lib.checks.values import summary


class ClaimFailed(AssertionError):
    """The measured values, or the control, do not bear the claim out."""


@dataclass(frozen=True, repr=False)
class Claim:
    """A claim that held: one line for the reader, as text and as HTML."""

    text: str
    details: str

    def __repr__(self) -> str:
        """The line as plain text."""
        return f"Holds: {self.text} {self.details}"

    def _repr_html_(self) -> str:
        # No colour of our own: the line has to be readable on light and on dark pages.
        return (
            '<div style="border-left: 3px solid currentColor; padding: 1px 0 1px 8px">'
            f"<b>Holds:</b> {escape(self.text)} "
            f'<span style="opacity: 0.75">{escape(self.details)}</span></div>'
        )


def claim(
    text: str,
    measured: Any,
    *,
    near: Any = None,
    within: Any = None,
    above: Any = None,
    below: Any = None,
    equals: Any = None,
    because: str,
    control: Any,
) -> None:
    """Show that a sentence holds for every measured value, and stop the notebook if not.

    A check that accepts everything proves nothing, so each claim also brings the value that a
    broken variant gives, and that value must fail.

    Args:
        text: The sentence.
        measured: A number, or a list or tensor of them; all must satisfy the condition.
            With ``equals`` also True/False or text.
        near: Wanted value; ``within`` says how far off is still right.
        within: Tolerance of ``near``, > 0.
        above: Every value must be greater (and finite).
        below: Every value must be smaller (and finite).
        equals: Every value must be exactly this.
        because: Why the tolerance or bound is what it is, or why the equality is exact.
        control: What a broken variant measured, or ``{"how it is broken": value, ...}``.
            Required; None says openly that there is none, and the line then says so too.

    Raises:
        ClaimFailed: a value does not satisfy the condition (NaN never does), or the control does.
        ValueError, TypeError: the claim itself cannot be judged.

    Example:
        >>> claim("Three and four make seven.", 3 + 4, equals=7, because="integers are exact",
        ...       control={"multiplied": 3 * 4})
        Holds: Three and four make seven. Measured 7; wanted exactly 7 (because integers are \
exact). Control (multiplied): 12, fails as it should.
    """
    condition = condition_from(near, within, above, below, equals)
    display(judge(text, measured, condition, because, control))


def judge(text: str, measured: Any, condition: Condition, because: str, control: Any) -> Claim:
    """The claim as an object when it holds; ``claim`` shows it."""
    text, because = _sentence("text", text), _sentence("because", because)
    values = condition.read("measured", measured)
    passed = condition.passes(values)
    wanted = f"wanted {condition.wanted} (because {because.rstrip('.')})"
    if not passed.all():
        raise ClaimFailed(
            f"{text}\n  Does not hold. Measured {_shown(values, 10)}; {wanted}."
            f"\n  Not as wanted: {failures(passed, values)}"
        )
    details = f"Measured {_shown(values)}; {wanted}. {_controls(text, condition, control)}"
    return Claim(_closed(text), details)


def _controls(text: str, condition: Condition, control: Any) -> str:
    if control is None:
        return "No control: no broken variant was run."
    named = control if isinstance(control, dict) else {"": control}
    if not named:
        raise ValueError("control is an empty dict; give a broken variant's value, or None")
    shown = []
    for name, given in named.items():
        values = condition.read("control", given)
        label = f"({name}) " if name else ""
        if condition.passes(values).all():
            raise ClaimFailed(
                f"{text}\n  This check could not have failed: the broken variant {label}"
                f"measured {_shown(values, 10)}, and that passes too "
                f"(wanted {condition.wanted}).\n  Tighten the condition or choose a control "
                "that really is broken."
            )
        shown.append(f"{label.strip()}: {_shown(values)}".removeprefix(": "))
    if len(shown) == 1:
        label = "Control " if next(iter(named)) else "Control: "
        return f"{label}{shown[0]}, fails as it should."
    return f"Controls {'; '.join(shown)}; all fail as they should."


def _shown(values: Any, digits: int = 4) -> str:
    return summary(values, digits) if isinstance(values, Tensor) else repr(values)


def _sentence(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{name} must say something, got {given!r}")
    return given.strip()


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
