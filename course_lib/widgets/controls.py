"""The controls of `explore`: sliders, check boxes and menus with a label and a unit."""

import math
from collections.abc import Sequence
from typing import Any

import ipywidgets
import traitlets
from ipywidgets import (
    Checkbox,
    Dropdown,
    FloatSlider,
    IntSlider,
    Layout,
    SelectionSlider,
    Text,
)

from course_lib.config import require_number

_STYLE = {"description_width": "initial"}


def control(
    lo: float, hi: float, step: float, value: float, label: str = "", unit: str = ""
) -> ipywidgets.Widget:
    """A slider from `lo` to `hi`; whole numbers when all four are ints.

    Args:
        lo: Left end.
        hi: Right end, included.
        step: What one press of an arrow key adds.
        value: Where it stands at first and after Reset.
        label: What the number means; the name of the argument when empty.
        unit: Written after the label in brackets.
    """
    require_number(lo=lo, hi=hi, step=step, value=value)
    if not lo < hi:
        raise ValueError(f"a slider needs lo < hi, got lo = {lo}, hi = {hi}")
    if not step > 0:
        raise ValueError(f"step must be > 0, got {step}")
    if not lo <= value <= hi:
        raise ValueError(f"value must be between {lo} and {hi}, got {value}")
    whole = all(isinstance(number, int) for number in (lo, hi, step, value))
    kind = IntSlider if whole else FloatSlider
    more = {} if whole else {"readout_format": f".{_decimals(step)}f"}
    return kind(
        value, min=lo, max=hi, step=step, description=_text(label, unit), style=_STYLE,
        **more,
    )


def choice(
    options: Sequence | dict, value: Any, label: str = "", unit: str = ""
) -> ipywidgets.Widget:
    """A control for a few values: a slider over a list of numbers, else a menu.

    Args:
        options: The values in order, or a dict of the words shown to the values meant.
        value: The one chosen at first and after Reset.
        label: What it means; the name of the argument when empty.
        unit: Written after the label in brackets.
    """
    values = list(options.values()) if isinstance(options, dict) else list(options)
    if any(option != option for option in values):
        raise ValueError(f"options must not hold NaN, which equals nothing, got {values}")
    if value not in values:
        raise ValueError(f"value must be one of {values}, got {value!r}")
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    kind = SelectionSlider if numbers and not isinstance(options, dict) else Dropdown
    return kind(
        options=options, value=value, description=_text(label, unit), style=_STYLE
    )


def text_box(value: str, label: str = "") -> ipywidgets.Widget:
    """A line of text that the reader can change; it counts when Enter is pressed.

    Args:
        value: What it holds at first and after Reset.
        label: What it means; the name of the argument when empty.
    """
    if not isinstance(value, str):
        raise TypeError(f"value must be text, got {value!r}")
    return Text(value, description=label, style=_STYLE, continuous_update=False,
                layout=Layout(width="95%"))  # fmt: skip


def make_control(name: str, given: Any) -> ipywidgets.Widget:
    """The widget for one keyword argument of `explore`."""
    if isinstance(given, ipywidgets.Widget):
        widget = given
    elif isinstance(given, bool):
        widget = Checkbox(given, indent=False, layout=Layout(width="auto", margin="2px 12px"))
    elif isinstance(given, list | dict) and given:
        first = next(iter(given.values())) if isinstance(given, dict) else given[0]
        widget = choice(given, first)
    elif isinstance(given, tuple) and len(given) == 4:
        widget = control(*given)
    else:
        raise ValueError(
            f"{name} must be (lo, hi, step, value), a bool, a list, a dict, control(...) or"
            f" choice(...), got {given!r}"
        )
    if not widget.description:
        widget.description = name
    _size(widget)
    return widget


def check_value(name: str, widget: ipywidgets.Widget, value: Any) -> None:
    """Raise ValueError when the control could not hold `value` exactly; change nothing.

    ipywidgets would move a number that is too large to the end of the slider without a word.
    """
    required = None
    if isinstance(widget, Checkbox) and not isinstance(value, bool):
        required = "True or False"
    elif hasattr(widget, "options") and value not in _option_values(widget):
        required = f"one of {_option_values(widget)}"
    elif hasattr(widget, "min") and not _in_range(widget, value):
        required = "a number from {} to {}".format(*_range(widget))
        required += " without a fraction" if isinstance(widget, IntSlider) else ""
    if required:
        raise ValueError(f"{name} must be {required}, got {value!r}")


def set_value(name: str, widget: ipywidgets.Widget, value: Any) -> None:
    """Give a control its value; ValueError in plain words where ipywidgets refuses it."""
    try:
        widget.value = value
    except traitlets.TraitError as error:
        raise ValueError(f"{name} does not take {value!r}: {error}") from error


def _text(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def _size(widget: ipywidgets.Widget) -> None:
    """Room for the label beside a track of the same length for every slider."""
    if widget.layout.width is None:
        widget.layout.width = f"{7 * len(widget.description) + 220}px"
        widget.layout.max_width = "100%"


def _decimals(step: float) -> int:
    """Digits behind the point that a step needs: 0.05 needs two."""
    return min(6, max(0, -math.floor(math.log10(step) + 1e-9)) + (f"{step:g}"[-2:] == "25"))


def _option_values(widget: ipywidgets.Widget) -> list:
    return [value for _, value in widget._options_full]


def _range(widget: ipywidgets.Widget) -> tuple[float, float]:
    base = getattr(widget, "base", None)  # FloatLogSlider holds exponents in min and max
    return (base**widget.min, base**widget.max) if base else (widget.min, widget.max)


def _in_range(widget: ipywidgets.Widget, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    lo, hi = _range(widget)
    return lo <= value <= hi and not (isinstance(widget, IntSlider) and value != int(value))
