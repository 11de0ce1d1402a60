"""The test run checks types and shapes, everywhere but where it would cost too much."""

import pytest
import torch
import typecheck
from jaxtyping import TypeCheckError

from course_lib.data import windows
from course_lib.data.stories import sampling
from course_lib.mechanisms.softmax import softmax


def test_a_wrong_type_is_an_error_of_its_own():
    with pytest.raises(TypeCheckError):
        softmax("scores")
    with pytest.raises(TypeCheckError):
        windows.consecutive_windows(torch.zeros(9, dtype=torch.int64), "3")


def test_no_module_is_left_out_but_those_of_the_stories():
    watched = list(typecheck.watched("course_lib", typecheck.LIBRARY))
    for path in typecheck.LIBRARY.rglob("*.py"):
        name = ".".join(path.relative_to(typecheck.LIBRARY.parent).with_suffix("").parts)
        seen = any(f"{name}.".startswith(f"{module}.") for module in watched)
        is_package = path.name == "__init__.py" and path.parent.name in ("course_lib", "data")
        assert seen != (name.startswith(typecheck.LEFT_OUT) or is_package), name


def test_the_stories_are_not_checked():
    assert not hasattr(sampling.tell, "__wrapped__")
    assert hasattr(windows.consecutive_windows, "__wrapped__")
