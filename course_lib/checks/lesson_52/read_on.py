"""Lesson 52, second exercise: read on from a cache, with two offsets to repair."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_52.read_on_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, positions, w_q, w_k, w_v, keys, values):
    """Read new tokens: what the head mixes for them, and the longer cache."""
    seen, new = len(keys), len(x)
    x = x + positions[torch.arange(new) + seen - 1]
    keys = torch.cat([keys, x @ w_k])
    values = torch.cat([values, x @ w_v])
    scores = (x @ w_q) @ keys.T / math.sqrt(keys.shape[-1])
    visible = torch.ones(new, seen + new, dtype=torch.bool).tril()
    shares = torch.softmax(scores.masked_fill(~visible, -torch.inf), dim=-1)
    return shares @ values, keys, values


def _solution(x, positions, w_q, w_k, w_v, keys, values):
    seen, new = len(keys), len(x)
    x = x + positions[seen : seen + new]  # the first new token stands behind those seen
    keys = torch.cat([keys, x @ w_k])
    values = torch.cat([values, x @ w_v])
    scores = (x @ w_q) @ keys.T / math.sqrt(keys.shape[-1])
    visible = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
    shares = torch.softmax(scores.masked_fill(~visible, -torch.inf), dim=-1)
    return shares @ values, keys, values


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(52)

    def draw(*shape, dtype):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    sizes = ((2, 3, 4, 5), (0, 4, 3, 2), (5, 1, 2, 3), (4, 2, 5, 3))
    dtypes = (torch.float64, torch.float64, torch.float64, torch.float32)
    return tuple(
        Case({
            "x": draw(new, d_model, dtype=dtype),
            "positions": draw(9, d_model, dtype=dtype),
            **{name: draw(d_model, d_head, dtype=dtype) for name in ("w_q", "w_k", "w_v")},
            **{name: draw(seen, d_head, dtype=dtype) for name in ("keys", "values")},
        })
        for (seen, new, d_model, d_head), dtype in zip(sizes, dtypes, strict=True)
    )  # fmt: skip


read_on = Exercise(
    name="lesson_52.read_on",
    task=(
        "One causal head reads on. `keys` and `values`, `[seen, d_head]`, are what the cache has "
        "of `seen` earlier tokens. `x`, `[new, d_model]`, are the vectors of the next tokens, "
        "`positions` the table of positions. Return what the head mixes for the new tokens, and "
        "the cache with theirs appended. The function runs, and has two faults: one shows "
        "from the first token on, the other once something is in the cache. Repair both."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "The first new token stands at place `seen`, since places are counted from 0. With `seen "
        "- 1` it gets the place of the token before it, and the first token of all gets row -1, "
        "the last of the table, without a word. And row i of the mask belongs to token `seen + i`: "
        "`tril(seen)` moves the edge so that it sees all of the cache, the new ones before it, and "
        "itself. `tril()` starts the edge at the first key of the cache. (PyTorch's own "
        "`scaled_dot_product_attention(..., is_causal=True)` does just that when there are more "
        "keys than queries.)"
    ),
    cases=_cases(),
    mistakes=MISTAKES,
    hints=(
        "Two tokens are in the cache, at places 0 and 1. At which place does the first new one "
        "stand, and how many keys may it read?",
        "Print `visible` for two tokens seen and three new ones. Its last row must be all True. "
        "And look at the places when nothing was seen yet: a list takes -1 for its end.",
        "```python\nx = x + positions[...]       # from which row to which?\n...\n"
        "visible = torch.ones(...).tril(...)\n```",
    ),
    returns=("the mix", "the keys", "the values"),
)
