"""Lesson 21, second exercise: repair an attention function that never worked."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_21.attention_mistakes import MISTAKES
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
        # Judged last, so that a wrong scale is named even when the mask goes wrong as well.
        Case({**batched, "visible": mask}, extreme=1),
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
    mistakes=MISTAKES,
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
