"""Lesson 21, second exercise: repair an attention function that never worked."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_attention(q, k, v, visible=None):
    """Attention as it is often printed; calling it raises a NameError."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    probs = torch.softmax(scores, dim=-1)
    return probs @ v, probs


def _solution(q, k, v, visible=None):
    d_k = q.size(-1)  # width of one query, which is also the width of one key
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    probs = torch.softmax(scores, dim=-1)
    return probs @ v, probs


def _attend(q, k, v, visible, factor=None, over=-1, after=1.0):
    """Attention with one thing to get wrong at a time."""
    factor = 1 / math.sqrt(q.size(-1)) if factor is None else factor
    scores = q @ k.transpose(-2, -1) * factor
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    probs = torch.softmax(scores, dim=over) * after
    return probs @ v, probs


def _wrong_width(width):
    """Attention that takes `width(q, k, v)` for d_k."""
    return lambda q, k, v, visible=None: _attend(
        q, k, v, visible, factor=1 / math.sqrt(width(q, k, v))
    )


def _still_undefined(q, k, v, visible=None):
    return _attend(q, k, v, visible, factor=1 / math.sqrt(d_k))


def _masked_after_softmax(q, k, v, visible=None):
    _, probs = _attend(q, k, v, None)
    probs = probs if visible is None else probs * visible
    return probs @ v, probs


def _scaled_after_softmax(q, k, v, visible=None):
    return _attend(q, k, v, visible, factor=1.0, after=1 / math.sqrt(q.size(-1)))


def _inverted(q, k, v, visible=None):
    return _attend(q, k, v, None if visible is None else ~visible)


def _cases() -> tuple[Case, ...]:
    # Every length and width differs from every other, so that no mix-up of axes goes unnoticed.
    generator = torch.Generator().manual_seed(21)

    def qkv(*leading: int, query: int, key: int, d_head: int, d_value: int) -> dict[str, object]:
        sizes = {"q": (query, d_head), "k": (key, d_head), "v": (key, d_value)}
        return {n: torch.randn(*leading, *s, generator=generator) for n, s in sizes.items()}

    plain = qkv(query=2, key=3, d_head=4, d_value=5)
    batched = qkv(6, query=3, key=5, d_head=8, d_value=2)
    heads = qkv(3, 2, query=4, key=6, d_head=16, d_value=7)
    # Every row, and every row of its inverse, leaves at least one key to read.
    mask = torch.tensor([[True, False, False, True, True], [True, True, False, False, True],
                         [False, True, True, True, False]])  # fmt: skip
    return (
        Case({**plain, "visible": None}),
        Case({**batched, "visible": None}),
        Case({**heads, "visible": None}),
        Case({**batched, "visible": mask}),
    )


_MISTAKES = (
    Mistake(
        "d_k is still undefined",
        _still_undefined,
        "`d_k` is read but never set. Which of the inputs knows how wide a query is?",
    ),
    Mistake(
        "number of keys",
        _wrong_width(lambda q, k, v: k.size(-2)),
        "Your d_k is the number of keys, `k.size(-2)`. Does q.k add up as many products as there "
        "are keys, or as many as one key has entries?",
    ),
    Mistake(
        "number of queries",
        _wrong_width(lambda q, k, v: q.size(-2)),
        "Your d_k is the number of queries, `q.size(-2)`. Which axis of q runs over the entries "
        "of one query?",
    ),
    Mistake(
        "width of the values",
        _wrong_width(lambda q, k, v: v.size(-1)),
        "Your d_k is the width of a value. Do the values take part in the scores at all?",
    ),
    Mistake(
        "size of the first axis",
        _wrong_width(lambda q, k, v: q.size(0)),
        "Your d_k is the size of the first axis, `q.size(0)`. That is the batch here. Count the "
        "axes from the end, so that leading axes do not matter.",
    ),
    Mistake(
        "64",
        _wrong_width(lambda q, k, v: 64),
        "You divide by 8 everywhere, as for d_k = 64. That is the width in one published model "
        "(or a `d_k = 64` left over in the notebook). Where can the function read its own?",
    ),
    Mistake(
        "no square root",
        lambda q, k, v, visible=None: _attend(q, k, v, visible, factor=1 / q.size(-1)),
        "You divide by d_k itself. The scores' standard deviation grows with which power of d_k?",
    ),
    Mistake(
        "no scaling",
        lambda q, k, v, visible=None: _attend(q, k, v, visible, factor=1.0),
        "The error is gone, and so is the scaling. What happens to the scores as d_k grows?",
    ),
    Mistake(
        "multiplies by the square root",
        lambda q, k, v, visible=None: _attend(q, k, v, visible, factor=math.sqrt(q.size(-1))),
        "You multiply by sqrt(d_k). Should wide heads get larger scores, or the same?",
    ),
    Mistake(
        "scaled after softmax",
        _scaled_after_softmax,
        "What does a row of your probabilities sum to? The scaling comes after the softmax; it "
        "belongs to the scores.",
    ),
    Mistake(
        "softmax over the queries",
        lambda q, k, v, visible=None: _attend(q, k, v, visible, over=-2),
        "Who shares out attention among whom? Your softmax runs over the queries. Each query, one "
        "row, spreads its attention over the keys: the last axis.",
    ),
    Mistake(
        "mask inverted",
        _inverted,
        "Is True in `visible` a key that may be read, or one that is hidden? Yours reads exactly "
        "the hidden ones. (Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "mask ignored",
        lambda q, k, v, visible=None: _attend(q, k, v, None),
        "All is right until some keys are hidden: `visible` makes no difference in your function.",
    ),
    Mistake(
        "mask after softmax",
        _masked_after_softmax,
        "What do the rows of your probabilities sum to when a key is hidden? You remove it after "
        "the softmax, so its share is lost. Hide it in the scores, with -inf.",
    ),
)

repair_attention = Exercise(
    name="lesson_21.repair_attention",
    task=(
        "The function below is printed in this form again and again, and it has never run: `d_k` "
        "is not defined. Repair it. It must work for any number of queries and keys, for values "
        "of another width than the keys, and with any leading axes such as batch and head. "
        "`visible` is None or a bool tensor, **True = may be read**. Return the outputs and the "
        "probabilities."
    ),
    stub=broken_attention,
    reference=_solution,
    explanation=(
        "`d_k` is the width of one query, the last axis of `q`. It is not the number of keys, and "
        "not a constant of the model: the function reads it from what it is given, so it fits "
        "every model. `q.size(-1)` counts from the end; `q.size(2)` would be the width only when "
        "exactly two axes stand before it."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "A score is a dot product. How many products does it add up, and which axis of `q` are "
        "they on?",
        "Only the line with the square root is wrong. The function has to work for every shape, "
        "so read the number from `q` or `k`, and count the axes from the end.",
        "```python\nd_k = q.size(...)   # which axis?\n"
        "scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)\n"
        "...                 # the rest stays as it is\n```",
    ),
    returns=("the outputs", "the probabilities"),
)
