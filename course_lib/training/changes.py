"""Changes to a recipe's shape and settings, given as text: ``d_model=192``, ``lr=2e-3``."""

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from course_lib.config import TrainConfig, TransformerConfig

Shape = TypeVar("Shape", bound=TransformerConfig)
# What these are follows from elsewhere; the command line has a flag of its own for two of them.
_NOT_HERE = {
    "vocab_size": "it follows from the text and its ids",
    "total_steps": "use --steps or --budget",
    "seed": "use --seed",
}
_CONSTANTS = {"true": "True", "false": "False", "none": "None"}


def read_changes(given: Iterable[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` texts; a value is a number, True, False, None, a tuple, or a word.

    Raises:
        ValueError: if one has no name or no value, or a name comes twice.
    """
    changes: dict[str, Any] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise ValueError(f"--set takes NAME=VALUE, such as d_model=192, got {text!r}")
        if name in changes:
            raise ValueError(f"--set must name {name} once, got it twice")
        changes[name] = _value(value)
    return changes


def apply_changes(
    shape: Shape, settings: TrainConfig, changes: Mapping[str, Any]
) -> tuple[Shape, TrainConfig]:
    """Return a shape and settings with other values, checked as if they had been written so.

    Raises:
        ValueError: if a name belongs to neither, or a value is refused by the configuration.
    """
    of_shape, of_settings = _names(shape), _names(settings)
    for name in changes:
        if name in _NOT_HERE:
            raise ValueError(f"cannot change {name}: {_NOT_HERE[name]}")
        if name not in of_shape | of_settings:
            raise ValueError(_unknown(name, of_shape | of_settings))
    try:
        return (
            reshaped(shape, {n: v for n, v in changes.items() if n in of_shape}),
            replace(settings, **{n: v for n, v in changes.items() if n in of_settings}),
        )
    except TypeError as error:  # the door turns a ValueError into one sentence
        raise ValueError(str(error)) from error


def reshaped(shape: Shape, changes: Mapping[str, Any]) -> Shape:
    """Replace fields of a shape; those that it had worked out itself are worked out anew."""
    derived = {"d_ff": 4 * shape.d_model, "n_kv_heads": shape.n_heads}
    if shape.n_heads * shape.d_head == shape.d_model:
        derived["d_head"] = shape.d_head
    open_again = {n: None for n, value in derived.items() if getattr(shape, n, None) == value}
    return replace(shape, **{**open_again, **changes})


def _value(text: str) -> Any:
    """Read a Python value, in any case where it is True, False or None, or take a word as it is."""
    try:
        value = ast.literal_eval(_CONSTANTS.get(text.lower(), text))
    except (ValueError, SyntaxError):
        return text
    return tuple(value) if isinstance(value, list) else value


def _names(config: object) -> set[str]:
    """The fields of a configuration."""
    return {field.name for field in fields(config)}


def _unknown(name: str, known: set[str]) -> str:
    """Say that there is no such field, and which one may have been meant."""
    close = difflib.get_close_matches(name, known, 1)
    meant = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(sorted(known))}"
    return f"cannot change {name!r}: neither shape nor settings have it{meant}"
