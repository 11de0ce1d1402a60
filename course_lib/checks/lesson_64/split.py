"""Lesson 64, second exercise: one published matrix becomes the weights of three linear layers."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(c_attn):
    """The weights of q_proj, k_proj and v_proj."""
    raise NotImplementedError


def _solution(c_attn):
    q, k, v = c_attn.chunk(3, dim=1)  # each [d_model, width]
    return q.T, k.T, v.T


def _parts(cut):
    """The three parts that ``cut`` makes."""
    return lambda c_attn: tuple(cut(c_attn))


def _ordered(*order):
    """The right parts in another order, counted from 0."""
    return lambda c_attn: tuple(_solution(c_attn)[i] for i in order)


_MISTAKES = (
    Mistake(
        "not turned",
        _parts(lambda c_attn: c_attn.chunk(3, dim=1)),
        "The parts are right, and lie as in the file: `[d_in, d_out]`. `nn.Linear` keeps "
        "`[d_out, d_in]`. Where both are equal, it would have loaded without an error.",
    ),
    Mistake(
        "folded, not turned",
        _parts(lambda c_attn: [part.reshape(part.shape[1], -1) for part in c_attn.chunk(3, dim=1)]),
        "The shapes are right, the numbers stand elsewhere: `reshape` and `view` read row by row "
        "and fill row by row. To turn a matrix, use `.T`.",
    ),
    Mistake(
        "folded at once",
        _parts(lambda c_attn: c_attn.reshape(3, c_attn.shape[1] // 3, -1)),
        "Three parts of the right shape, made of other numbers: `reshape` and `view` read row by "
        "row, and each row holds some of query, key and value. Cut the columns in three first.",
    ),
    Mistake(
        "folded at once, then turned",
        _parts(lambda c_attn: c_attn.reshape(3, c_attn.shape[0], -1).mT),
        "You turn the parts, but `reshape` and `view` have made them of other numbers: they read "
        "row by row, and each row holds some of query, key and value.",
    ),
    Mistake(
        "cut along the other axis",
        _parts(lambda c_attn: [part.T for part in c_attn.chunk(3)]),
        "You cut the axis of `d_model`, which all three share. They stand side by side in the "
        "other one; once the matrix is turned, one below the other.",
    ),
    Mistake(
        "cut along the other axis, not turned",
        _parts(lambda c_attn: c_attn.chunk(3)),
        "You cut the axis of `d_model`, which all three share: `chunk` and `split` take the first "
        "axis when they are told none. And the parts are not turned.",
    ),
    Mistake(
        "every third column",
        _parts(lambda c_attn: [c_attn[:, i::3].T for i in range(3)]),
        "You deal the columns out in turn. All of the query's columns come first, then all of the "
        "key's, then the value's.",
    ),
    Mistake(
        "key first",
        _ordered(1, 0, 2),
        "Query and key are swapped. The order in the file is query, key, value.",
    ),
    Mistake(
        "value first",
        _ordered(2, 1, 0),
        "Query and value are swapped. The order in the file is query, key, value.",
    ),
    Mistake(
        "key last",
        _ordered(0, 2, 1),
        "Key and value are swapped. The order in the file is query, key, value.",
    ),
    Mistake(
        "moved one on",
        _ordered(1, 2, 0),
        "Each part stands one place too early. The order in the file is query, key, value.",
    ),
    Mistake(
        "moved one back",
        _ordered(2, 0, 1),
        "Each part stands one place too late. The order in the file is query, key, value.",
    ),
    Mistake(
        "only the last turned",
        _parts(lambda c_attn: [*c_attn.chunk(3, dim=1)[:2], c_attn.chunk(3, dim=1)[2].T]),
        "Only the last part is turned: `.T` belongs to what stands directly before it.",
    ),
    Mistake(
        "one and the same",
        _parts(lambda c_attn: [c_attn.chunk(3, dim=1)[0].T] * 3),
        "You return the query's matrix three times.",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(64)
    # Rows can be cut in three as well, so that this mistake meets its own message.
    sizes = ((6, 4, torch.float32), (6, 6, torch.float32), (9, 5, torch.float64),
             (12, 2, torch.float16))  # fmt: skip
    return tuple(
        Case({"c_attn": torch.randn(d_model, 3 * width, generator=generator).to(dtype)})
        for d_model, width, dtype in sizes
    )


split_c_attn = Exercise(
    name="lesson_64.split_c_attn",
    task=(
        "Write `split_c_attn(c_attn)`. `c_attn` is GPT-2's `attn.c_attn.weight`, `[d_model, 3 "
        "width]`: the matrices of query, key and value side by side, to be multiplied from the "
        "right. `width`, the numbers of all heads together, need not be `d_model`. Return, as a "
        "tuple, the weights of our `q_proj`, `k_proj` and `v_proj`, each `[width, d_model]`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "GPT-2 computes `x @ W`, so its matrices are `[d_in, d_out]` and the three stand side by "
        "side in the last axis. `nn.Linear` computes `x @ weight.T`. So: cut the last axis in "
        "three, turn each part."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "Which of the two axes is the one of the output?",
        "Cut that axis into three equal parts. Then each has to be turned, since a linear layer "
        "keeps its outputs in rows.",
        "```python\nq, k, v = c_attn.split(...)\nreturn ...\n```",
    ),
    returns=("the weight of q_proj", "the weight of k_proj", "the weight of v_proj"),
)
