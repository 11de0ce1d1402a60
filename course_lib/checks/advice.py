"""What a well-known Python or PyTorch error usually comes from, in one line."""

import re

_SAME = "They must be the same, or one of them 1."
_LINES_UP = (
    "The two shapes do not line up: axes are matched from the last one backwards. "
    f"{_SAME} `sum`, `max` and `mean` drop their axis unless you write `keepdim=True`."
)
_PRODUCT = (
    "For `a @ b` the last axis of `a` must be as long as the second-last axis of `b`. "
    "`print(a.shape, b.shape)`; is a `.transpose(-2, -1)` missing, or one too many?"
)
_TRUTH_VALUES = (
    "True and False cannot be subtracted. Make numbers of them: `float(i == j)` for a single one, "
    "`mask.float()` for a tensor; a mask is inverted with `~mask`."
)
_POWER = "`^` is no power in Python; write `x**2`."
_BRACKETS = "The brackets of a call are missing: `x.sum()`, not `x.sum`."
_IMPORTS = {
    "math": "import math",
    "torch": "import torch",
    "np": "import numpy as np",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
}

# The first that is found in "TypeError: ..." is shown; \1 in the advice is what it caught.
_KNOWN = (
    (r"^RecursionError", "The function calls itself without ever coming to an end."),
    (r"^SystemExit", "A function should return its result; exit() would end the whole session."),
    (
        r"torch\.return_types\.(max|min|sort|topk|median|mode|kthvalue|cummax|cummin)\b",
        r"`\1` along an axis gives two things, the values and where they stand: "
        r"`x.\1(...).values` is the first.",
    ),
    (r"The size of tensor a .* must match the size of tensor b", _LINES_UP),
    (r"could not be broadcast together", _LINES_UP),
    (
        r"shapes cannot be multiplied|Expected size for first two dim|^RuntimeError: size mis",
        _PRODUCT,
    ),
    (r"inconsistent tensor size, expected tensor", _PRODUCT),
    (r"(Subtraction|subtract|Negation), the `-` operator,", _TRUTH_VALUES),
    (r"unsupported operand type\(s\) for \^|bitwise_xor_cpu", _POWER),
    (r"unsupported operand type.*'(builtin_function_or_method|method|function)'", _BRACKETS),
    (r"'torch\.Size' object is not callable", "Write `x.shape[-1]` or `x.size(-1)`."),
    (
        r"'(builtin_function_or_method|method|function)' object is not subscriptable",
        "A function is called with round brackets: `x.size(-1)`, not `x.size[-1]`.",
    ),
    (
        r"'Tensor' object is not callable",
        "Round brackets call a function; an entry is read with square ones: `p[0]`. "
        "Or is a `*` missing before a bracket?",
    ),
    (
        r"unsupported operand type.*'(tuple|torch\.Size)'",
        "One of the two is a tuple, several things at once. Take the one that you mean, as in "
        "`x.shape[-1]`; does a line end in a comma?",
    ),
    (
        r"unsupported operand type.*'list'|can't multiply sequence",
        "A list does not calculate entry by entry; `torch.tensor(...)` or `torch.stack(...)` "
        "makes a tensor of it.",
    ),
    (
        r"'NoneType'",
        "Something here is None: an input that may be None (ask with `is not None` first), or what "
        "came back from a function without `return`.",
    ),
    (
        r"argument 'input' \(position 1\) must be Tensor, not (int|float)",
        "A torch function wants a tensor; for a plain number take the one from `math`, such as "
        "`math.sqrt`.",
    ),
    (
        r"only one element tensors can be converted|can only convert an array of size 1",
        "A function from `math` takes a single number; for a tensor take the one from `torch`, "
        "such as `torch.exp`.",
    ),
    (
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`if` cannot decide about many values at once. Work on whole tensors with `torch.where` or "
        "`masked_fill`; whether something was passed is asked with `is None`.",
    ),
    (
        r"Dimension out of range|too many indices for tensor|tuple index out of range",
        "The tensor has fewer axes here than you count on. Counted from the end, -1 is always the "
        "last axis, however many there are.",
    ),
    (
        r"missing 1 required positional arguments?: \"dim\"",
        "Along which axis? Add `dim=-1` for the last one.",
    ),
    (
        r"must be Tensor, not list",
        "This wants a tensor; `torch.tensor(...)` or `torch.stack(...)` makes one of a list.",
    ),
    (
        r"same dtype, but got|expected scalar type|masks, but got mask with dtype",
        "The kinds of number do not match. `x.to(y.dtype)` takes that of another tensor; a mask "
        "must be bool, as `x > 0` is.",
    ),
)


def advice(error: str) -> str:
    """One line on an exception given as "TypeError: text"; empty when it is none we know."""
    if missing := re.search(r"^NameError: name '(\w+)' is not defined", error):
        line = _IMPORTS.get(missing[1])
        return f"Run `{line}` in a cell first." if line else ""
    for pattern, text in _KNOWN:
        if found := re.search(pattern, error, flags=re.DOTALL):
            return found.expand(text) if found.re.groups else text
    return ""
