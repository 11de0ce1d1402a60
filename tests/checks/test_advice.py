"""Errors as Python and the installed torch word them, and the line that is shown with them."""

import math

import numpy as np
import pytest
import torch

from course_lib.checks.advice import advice
from course_lib.checks.frames import report

x, p = torch.ones(2, 3), torch.ones(3)


def nothing():
    pass


KNOWN = {
    "axis not kept": (lambda: x / x.sum(-1), "keepdim=True"),
    "numpy's shapes": (lambda: np.ones((2, 3)) / np.ones(2), "keepdim=True"),
    "minus max": (lambda: x - x.max(-1), "`x.max(...).values`"),
    "exp of max": (lambda: torch.exp(x.max(-1)), "`x.max(...).values`"),
    "method of max": (lambda: x.max(-1).exp(), "`x.max(...).values`"),
    "minus min": (lambda: x - x.min(-1), "`x.min(...).values`"),
    "product": (lambda: x @ x, "transpose(-2, -1)"),
    "product of batches": (lambda: x[None] @ x[None], "transpose(-2, -1)"),
    "product with a vector": (lambda: x @ torch.ones(2), "transpose(-2, -1)"),
    "dot product": (lambda: p @ torch.ones(2), "as long as"),
    "bool minus number": (lambda: (1 == 1) - p[0], "`float(i == j)`"),
    "1 - mask": (lambda: 1 - (x > 0), "`~mask`"),
    "-mask": (lambda: -(x > 0), "`~mask`"),
    "two masks": (lambda: (x > 0) - (x > 0), "`mask.float()`"),
    "numpy's masks": (lambda: np.array([True]) - np.array([False]), "cannot be subtracted"),
    "power of a number": (lambda: 2.0 ^ 2, "`x**2`"),
    "power of a tensor": (lambda: p ^ 2, "`x**2`"),
    "no call": (lambda: x / x.sum, "brackets of a call"),
    "shape called": (lambda: x.shape(-1), "`x.shape[-1]`"),
    "size with square brackets": (lambda: x.size[-1], "`x.size(-1)`"),
    "tensor called": (lambda: p(0), "`p[0]`"),
    "tuple": (lambda: x / (1, 2), "a tuple"),
    "shape in place of a number": (lambda: x / x.shape, "a tuple"),
    "list": (lambda: [1, 2] / 2, "`torch.tensor(...)`"),
    "list times": (lambda: [1, 2] * 2.0, "`torch.tensor(...)`"),
    "list to torch": (lambda: torch.exp([1, 2]), "`torch.tensor(...)`"),
    "None": (lambda: nothing() * x, "is None"),
    "~None": (lambda: ~nothing(), "is None"),
    "torch.sqrt of a number": (lambda: torch.sqrt(4), "`math.sqrt`"),
    "math.exp of a tensor": (lambda: math.exp(x), "`torch.exp`"),
    "if": (lambda: 1 if x > 0 else 0, "`torch.where`"),
    "too few axes": (lambda: x.size(2), "from the end"),
    "too few axes in the shape": (lambda: x.shape[2], "from the end"),
    "too many indices": (lambda: x[0, 0, 0], "from the end"),
    "no axis": (lambda: torch.softmax(x), "`dim=-1`"),
    "dtypes": (lambda: x.double() @ x.mT, "`x.to(y.dtype)`"),
    "mask of numbers": (lambda: x.masked_fill(x, 0), "must be bool"),
    "unknown name": (lambda: width, ""),  # noqa: F821
    "own": (lambda: [].pop(), ""),
}


@pytest.mark.parametrize(("wrong", "help_line"), KNOWN.values(), ids=KNOWN)
def test_well_known_errors_get_a_line(wrong, help_line):
    with pytest.raises(Exception) as caught:
        wrong()
    lines = report(caught.value, wrong).splitlines()
    found = advice(f"{caught.type.__name__}: {caught.value}")
    assert help_line in found and bool(help_line) <= bool(found)
    assert lines[-1].startswith(found) and found.count("`") % 2 == 0 and "\\" not in found


@pytest.mark.parametrize(("name", "line"), [("F", "functional as F"), ("np", "numpy as np")])
def test_a_missing_import_is_named(name, line):
    assert line in advice(f"NameError: name '{name}' is not defined")
    assert advice(f"NameError: name '{name}x' is not defined") == ""
