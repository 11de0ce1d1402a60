"""`predict`: the reader commits to a guess before the measurement, and sees both afterwards."""

import html
from collections.abc import Iterable, Sequence

from ipywidgets import HTML, HTMLMath, Layout, RadioButtons

from course_lib.widgets.access import Access, course_box

_BOX = "margin:4px; line-height:1.5; color:var(--jp-ui-font-color1, inherit)"
NO_CHOICE = "no prediction"


class Prediction:
    """A question with options, one of which the reader may choose; never graded.

    The choice can be changed until `reveal` has shown it.  A reader who runs all cells first
    can still choose: the revealed lines then follow the choice.

    Attributes:
        question: What is asked.
        options: The answers to choose from.
    """

    def __init__(self, question: str, options: Sequence[str]):
        if isinstance(options, str) or not isinstance(options, Iterable):
            raise TypeError(f"options must be a list of answers, got {options!r}")
        options = list(options)
        _require_text(question=question, **{f"options[{i}]": o for i, o in enumerate(options)})
        if len(options) < 2 or len(set(options)) < len(options):
            raise ValueError(f"options must be two or more different answers, got {options}")
        self.question, self.options = question, options
        self._radio = RadioButtons(options=options, value=None, layout=Layout(width="auto"))
        self._revealed: list[Revealed] = []
        self._radio.observe(self._on_choice, "value")
        heading = HTMLMath(f'<p style="{_BOX}"><b>Predict.</b> {html.escape(question)}</p>')
        self.box = course_box([heading, self._radio], Access())

    @property
    def choice(self) -> str | None:
        """The option chosen, or None."""
        return self._radio.value

    def choose(self, option: str | None) -> None:
        """Choose from Python, as a click does; None takes the choice back."""
        if option is not None and option not in self.options:
            raise ValueError(f"option must be one of {self.options}, got {option!r}")
        if self._radio.disabled:
            raise ValueError(f"the answer is revealed; the choice stays {self.choice!r}")
        self._radio.value = option

    def reveal(self, answer: str, because: str) -> "Revealed":
        """Show the choice beside what was measured, and keep the choice from now on.

        Args:
            answer: What was measured, in words.
            because: Why it came out so.
        """
        revealed = Revealed(self, answer, because)
        self._revealed = [revealed]  # a cell that runs again replaces its older lines
        self._radio.disabled = self.choice is not None
        return revealed

    def _on_choice(self, _change) -> None:
        for revealed in self._revealed:
            revealed.write()

    def __repr__(self) -> str:
        marks = ["(x)" if option == self.choice else "( )" for option in self.options]
        lines = [f"  {mark} {option}" for mark, option in zip(marks, self.options, strict=True)]
        return "\n".join([f"Predict. {self.question}", *lines])

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {**self.box._repr_mimebundle_(), "text/plain": repr(self)}


class Revealed:
    """What `Prediction.reveal` returns: the prediction, the measurement, and the reason."""

    def __init__(self, prediction: Prediction, answer: str, because: str):
        _require_text(answer=answer, because=because)
        self._prediction = prediction
        self.answer, self.because = answer, because
        self._html = HTML()
        self.write()

    def write(self) -> None:
        """Show the choice as it is now."""
        rows = "".join(
            f'<div><span style="display:inline-block; min-width:9em">{label}</span>'
            f"<b>{html.escape(text)}</b></div>"
            for label, text in self._lines()
        )
        because = (
            '<div style="display:flex"><span style="flex:0 0 9em">Because</span>'
            f"<span>{html.escape(self.because)}</span></div>"
        )
        self._html.value = f'<div style="{_BOX}">{rows}{because}</div>'

    def _lines(self) -> list[tuple[str, str]]:
        choice = self._prediction.choice
        return [("You predicted", choice or NO_CHOICE), ("Measured", self.answer)]

    def __repr__(self) -> str:
        lines = [*self._lines(), ("Because", self.because)]
        return "\n".join(f"{label}: {text}" for label, text in lines)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {**self._html._repr_mimebundle_(), "text/plain": repr(self)}


def _require_text(**given: object) -> None:
    """Raise a TypeError that names the first that is no text, or empty."""
    for name, text in given.items():
        if not isinstance(text, str) or not text:
            raise TypeError(f"{name} must be text, got {text!r}")


def predict(question: str, options: Sequence[str]) -> Prediction:
    """Ask the reader to choose one of `options` before the measurement.

    Args:
        question: One sentence with a question mark.
        options: Two or more answers; the order is kept.

    Example:
        >>> guess = predict("Does the average change?", ["it grows", "it stays"])
        >>> guess.choose("it grows")
        >>> guess.reveal("it stays", because="Softmax only sees differences.")
        You predicted: it grows
        Measured: it stays
        Softmax only sees differences.
    """
    return Prediction(question, options)
