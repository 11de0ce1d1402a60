"""Lesson 22, second exercise: a causal mask and a padding mask in one, with no row empty."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_22.padding_mistakes import MISTAKES
from course_lib.checks.lesson_22.told import padded


def _stub(real):
    """Bool [batch, 1, query, key] for `real`, Bool [batch, seq], True = may be read."""
    raise NotImplementedError


def _solution(real):
    seq_len = real.shape[1]
    causal = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    itself = torch.eye(seq_len, dtype=torch.bool)
    key_is_real = real[:, None, None, :]  # [batch, 1, 1, key]
    return causal & key_is_real | itself & ~key_is_real  # [batch, 1, query, key]


causal_with_padding = Exercise(
    name="lesson_22.causal_with_padding",
    task=(
        "Write `causal_with_padding(real)`. `real` is bool `[batch, seq]`, True at a token and "
        "False at padding, which may stand on either side. Return the mask of a GPT as bool "
        "`[batch, 1, query, key]`, **True = may be read**: a query reads the real tokens up to its "
        "own place; every padding query reads itself besides, so that no row is empty."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Both masks must allow a key, so `&`. `real[:, None, None, :]` puts the text first and the "
        "keys last; the two axes of length 1 are stretched over heads and queries. The diagonal is "
        "added only where the key is padding: a real token reads itself by the causal mask "
        "already. What a padding query returns means nothing, and nobody reads it, because as a "
        "key it stays hidden from every other query."
    ),
    cases=(
        padded("xxx"),
        padded("..xxx", ".xxxx"),
        padded("xxx..", "xxxx."),
        padded("..xx", ".xxx", "xx.."),
        padded("..xxx.", ".xx..."),
    ),
    mistakes=MISTAKES,
    hints=(
        "Two masks say who may be read. Must one of them allow it, or both? And which rows are "
        "then left with nothing?",
        "`tril` makes the first mask. `real` gets two axes of length 1, so that it lies along the "
        "keys. Then add the diagonal, but only where the key is padding.",
        "```python\ncausal = ...                       # [query, key]\n"
        "key_is_real = real[:, None, ____, :]   # [batch, 1, 1, key]\n"
        "return causal & ... | itself & ...\n```",
    ),
    returns=("the mask",),
)
