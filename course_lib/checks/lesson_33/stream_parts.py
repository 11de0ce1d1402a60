"""Lesson 33, second exercise: what a Pre-LN stream is the sum of."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_33.stream_parts_mistakes import MISTAKES
from course_lib.checks.run import Case


def _stub(x, attention, feed_forward):
    """All terms whose sum is the stream that leaves a Pre-LN stack, in order: [terms, seq, d]."""
    raise NotImplementedError


def _solution(x, attention, feed_forward):
    def norm(x):
        centred = x - x.mean(dim=-1, keepdim=True)
        return centred / centred.square().mean(dim=-1, keepdim=True).sqrt()

    parts = [x]
    for A, F in zip(attention, feed_forward, strict=True):
        for matrix in (A, F):
            stream = sum(parts)  # what this sublayer finds
            parts.append(norm(stream) @ matrix)
    return torch.stack(parts)


def _case(
    n_blocks: int, seq: int, d: int, seed: int, *, size: float = 1.7, dtype=torch.float64
) -> Case:
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    inputs = {
        "x": size * draw(seq, d) + 0.4,
        "attention": draw(n_blocks, d, d),
        "feed_forward": draw(n_blocks, d, d),
    }
    return Case(inputs)


stream_parts = Exercise(
    name="lesson_33.stream_parts",
    task=(
        "You read that a Pre-LN stack computes $x_L = x_0 + \\sum_{i=1}^{L} "
        "\\text{SubLayer}_i$. Count for yourself. Write `stream_parts(x, attention, "
        "feed_forward)`, which returns all terms whose sum is the stream that leaves the last "
        "block, stacked in the order in which they come about. `x` has shape `[seq, d]`. The "
        "sublayers are as simple as can be: those of block $l$ multiply what they read by the "
        "matrix `attention[l]` and `feed_forward[l]`, each `[d, d]`, from the right. The layer "
        "norms have no eps, no gain and no shift, and there is none behind the last block. "
        "Return a tensor of shape `[terms, seq, d]`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "There are two terms a block and the input: $2L + 1$. Each sublayer reads the sum of all "
        "terms so far, normalised, and that sum goes on unchanged, so in the end every term is "
        "still in it. The terms are not independent of each other, because each was made from "
        "those before: taking one away changes all that follow. That is also why the gradient at "
        "the input is more than a copy of the gradient at the top."
    ),
    cases=(
        _case(1, 1, 3, seed=1),
        _case(1, 2, 4, seed=2),
        _case(2, 3, 5, seed=3),
        _case(3, 2, 4, seed=4),
        _case(1, 3, 4, seed=6, size=0.01),  # here an eps in the norm shows
        _case(4, 6, 7, seed=5, dtype=torch.float32),
    ),
    mistakes=MISTAKES,
    hints=(
        "How many sublayers does a block have, and what does the second one of a block read?",
        "Keep a list that begins with the input. What a sublayer reads is the sum of the whole "
        "list, after a layer norm over the last axis; what it gives is a new entry.",
        "```python\nparts = [x]\nfor A, F in zip(attention, feed_forward):\n"
        "    for matrix in (A, F):\n"
        "        stream = ...          # what this sublayer finds\n"
        "        parts.append(...)     # what it adds\n"
        "return torch.stack(parts)\n```",
    ),
    returns=("the terms of the stream",),
    atol=5e-5,  # the terms are of size 1, and float32 leaves 1e-5 of it after four blocks
)
