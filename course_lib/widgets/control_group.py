"""`ControlGroup`: the controls of one figure, read and moved together."""

from collections.abc import Callable
from typing import Any

from ipywidgets import Button, HBox, Layout, Text

from course_lib.widgets.controls import check_value, make_control, set_value

MAX_CONTROLS = 4


class ControlGroup:
    """One to four controls by name, with the values at which they stood at first.

    Attributes:
        widgets: The ipywidgets by name.
        start: The values at first.

    Args:
        given: For each name what `make_control` takes.
        on_move: Called without arguments after each move.
    """

    def __init__(self, given: dict[str, Any], on_move: Callable[[], Any]):
        if not 1 <= len(given) <= MAX_CONTROLS:
            raise ValueError(
                f"a figure takes 1 to {MAX_CONTROLS} controls, got {len(given)}: one with more"
                " is hard to explore; make two"
            )
        self.widgets = {name: make_control(name, value) for name, value in given.items()}
        self.start = self.values
        self._on_move = on_move
        self._watch(True)

    @property
    def values(self) -> dict[str, Any]:
        """Where the controls stand; a front end may send 1.0000000000000002 for 1."""
        given = {name: widget.value for name, widget in self.widgets.items()}
        return {name: round(v, 9) if isinstance(v, float) else v for name, v in given.items()}

    def set(self, values: dict[str, Any]) -> None:
        """Move controls all at once; `on_move` is called once.

        Raises:
            ValueError: for a name that is no control, or a value outside its range; nothing
                moves then.
        """
        for name, value in values.items():
            if name not in self.widgets:
                raise ValueError(f"{name} is no control of this figure: {list(self.widgets)}")
            check_value(name, self.widgets[name], value)
        self._watch(False)  # or each value would count as a move of its own
        try:
            for name, value in values.items():
                set_value(name, self.widgets[name], value)
        finally:
            self._watch(True)
        self._on_move()

    def follow_drags(self, yes: bool) -> None:
        """Whether a slider sends its value while it is dragged, or only when it is let go.

        A text never sends what is half written.
        """
        for widget in self.widgets.values():
            if widget.has_trait("continuous_update") and not isinstance(widget, Text):
                widget.continuous_update = yes

    def row(self, *buttons: Button) -> HBox:
        """All controls side by side, and the buttons behind them."""
        layout = Layout(flex_flow="row wrap", align_items="center")
        return HBox([*self.widgets.values(), *buttons], layout=layout)

    @property
    def n_sliders(self) -> int:
        """How many of them are sliders, for `Access`."""
        return sum("Slider" in type(widget).__name__ for widget in self.widgets.values())

    def _watch(self, on: bool) -> None:
        for widget in self.widgets.values():
            (widget.observe if on else widget.unobserve)(self._moved, "value")

    def _moved(self, _change: Any) -> None:
        self._on_move()


def small_button(text: str, on_click: Callable[[Button], Any]) -> Button:
    """A button that stands in a row of controls."""
    button = Button(description=text, layout=Layout(width="90px"))
    button.on_click(on_click)
    return button
