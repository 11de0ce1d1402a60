"""Lesson 23, second exercise: what each head adds to the stream."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(z, out_weight):
    raise NotImplementedError


def _solution(z, out_weight):
    n_heads, seq, d_head = z.shape
    rows = out_weight.T.reshape(n_heads, d_head, -1)  # [head, d_head, d_model]
    return z @ rows


def _concatenated(z, out_weight):
    return z.transpose(0, 1).flatten(1) @ out_weight.T


def _one_slice_for_all(z, out_weight):
    return z @ out_weight[:, : z.shape[2]].T


def _interleaved(z, out_weight):
    n_heads = z.shape[0]
    return torch.stack([z[h] @ out_weight[:, h::n_heads].T for h in range(n_heads)])


def _reversed(z, out_weight):
    return z @ _rows(z, out_weight).flip(0)


def _rows(z, out_weight):
    return out_weight.T.reshape(z.shape[0], z.shape[2], -1)


def _reshaped_untransposed(z, out_weight):
    return z @ out_weight.reshape(z.shape[0], z.shape[2], -1)


def _by_slices(piece):
    """Multiply each head by the piece that ``piece(out_weight, i, d_head, n_heads)`` cuts."""

    def wrong(z, out_weight):
        n_heads, _, d_head = z.shape
        return torch.stack([z[i] @ piece(out_weight, i, d_head, n_heads) for i in range(n_heads)])

    return wrong


def _width_of_the_model(weight, i, d_head, n_heads):
    width = weight.shape[0] // n_heads
    return weight[:, i * width : (i + 1) * width].T


def _all_but_one(z, out_weight):
    parts = z @ _rows(z, out_weight)
    return parts.sum(dim=0) - parts


def _running_sum(z, out_weight):
    return (z @ _rows(z, out_weight)).cumsum(dim=0)


_MISTAKES = (
    Mistake(
        "the sum of all",
        _concatenated,
        "That is the whole layer: the heads are added up already. What is asked for is one output "
        "for each head, `[head, seq, d_model]`, before the sum.",
    ),
    Mistake(
        "running sum",
        _running_sum,
        "Your second output holds the first one as well: you add up on the way. Each head alone "
        "is asked for.",
    ),
    Mistake(
        "the same slice for every head",
        _one_slice_for_all,
        "Every head of yours meets the first columns of `out_weight`. They belong to the first "
        "head; which ones belong to the second?",
    ),
    Mistake(
        "rows of out_weight",
        _by_slices(lambda weight, i, d, n: weight[i * d : (i + 1) * d]),
        "You cut rows, as the formula says. But `nn.Linear` keeps the transpose of $W^O$: the rows "
        "of the formula are columns of `out_weight`. If both sizes agree this even runs, and gives "
        "wrong numbers.",
    ),
    Mistake(
        "rows of out_weight, transposed",
        _by_slices(lambda weight, i, d, n: weight[i * d : (i + 1) * d].T),
        "You cut rows and turn them over. `out_weight` is the transpose already: cut its columns, "
        "and turn those over.",
    ),
    Mistake(
        "columns, not turned over",
        _by_slices(lambda weight, i, d, n: weight[:, i * d : (i + 1) * d]),
        "The columns are the right ones. They are `[d_model, d_head]`, and the head's mix is "
        "`[seq, d_head]`: what has to happen before the two can be multiplied?",
    ),
    Mistake(
        "slice that does not start at the head",
        _by_slices(lambda weight, i, d, n: weight[:, i : i + d].T),
        "Your slice is as wide as a head, but it starts at column `i`. How many columns come "
        "before the first one of head `i`?",
    ),
    Mistake(
        "width of the model divided by the heads",
        _by_slices(_width_of_the_model),
        "You take the width of a head from `d_model`. Often they fit together, but a head may have "
        "any width: read it from the last axis of `z`.",
    ),
    Mistake(
        "cut with the heads first",
        lambda z, w: z @ w.reshape(z.shape[0], -1, z.shape[2]).transpose(1, 2),
        "`reshape` with the heads first cuts `out_weight` along its rows: memory is read row by "
        "row. Turn the matrix over, then cut.",
    ),
    Mistake(
        "joined along the positions",
        lambda z, w: (z @ _rows(z, w)).flatten(0, 1),
        "The numbers are right, but the heads are strung together along the positions, as `cat` "
        "does it. `stack` gives the heads an axis of their own.",
    ),
    Mistake(
        "the first head alone",
        lambda z, w: z[0] @ w[:, : z.shape[2]].T,
        "That is what the first head adds. Where are the others?",
    ),
    Mistake(
        "all but one",
        _all_but_one,
        "You give what is left of the layer without each head. What is asked for is what each head "
        "adds itself.",
    ),
    Mistake(
        "every n-th column",
        _interleaved,
        "You take every n-th column. The heads stand side by side in one piece each: the first "
        "d_head columns are the first head's, the next d_head the second's.",
    ),
    Mistake(
        "heads in reverse order",
        _reversed,
        "The first head meets the last columns of `out_weight`. The order of the columns is that "
        "of the heads.",
    ),
    Mistake(
        "reshaped without transpose",
        _reshaped_untransposed,
        "You cut `out_weight` as if it were `[head * d_head, d_model]`. It is `[d_model, head * "
        "d_head]`, as nn.Linear keeps it: turn it over first, then cut.",
    ),
    Mistake(
        "not transposed",
        lambda z, out_weight: z @ out_weight,
        "`out_weight` is `[d_model, head * d_head]`: nn.Linear multiplies by its transpose. And "
        "each head meets a piece of it only, as wide as the head.",
    ),
    Mistake(
        "divided by the number of heads",
        lambda z, out_weight: z @ _rows(z, out_weight) / z.shape[0],
        "You divide by the number of heads. The layer adds the heads up; it does not average them.",
    ),
    Mistake(
        "positions before heads",
        lambda z, out_weight: (z @ _rows(z, out_weight)).transpose(0, 1),
        "The numbers are right, but the positions stand before the heads. Asked for is `[head, "
        "seq, d_model]`.",
    ),
    Mistake(
        "the mixes themselves",
        lambda z, out_weight: z,
        "That is what the heads have mixed, `d_head` wide. What they add to the stream is "
        "`d_model` wide: which matrix takes them there?",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(24)
    # The square one, (2, 4, 3, 6), is where rows taken for columns go unnoticed.
    sizes = ((2, 3, 4, 5), (3, 2, 5, 4), (2, 4, 3, 6), (4, 6, 2, 7), (1, 2, 3, 3))
    return tuple(
        Case({
            "z": torch.randn(n_heads, seq, d_head, generator=generator),
            "out_weight": torch.randn(d_model, n_heads * d_head, generator=generator),
        })
        for n_heads, seq, d_head, d_model in sizes
    )  # fmt: skip


head_contributions = Exercise(
    name="lesson_23.head_contributions",
    task=(
        "Write `head_contributions(z, out_weight)`. `z` is `[head, seq, d_head]`, what each head "
        "has mixed; `out_weight` is `[d_model, head * d_head]`, the weight of `out_proj` as "
        "`nn.Linear` keeps it. Return `[head, seq, d_model]`: what each head adds to the stream, "
        "$\\mathrm{head}_i W^O_i$. The bias belongs to no head; leave it out. (Summed over the "
        "heads it must give what laying them side by side and multiplying by the whole matrix "
        "gives.)"
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Side by side times one tall matrix is the sum of piece times piece: row block i of "
        "$W^O$ only ever meets head i. `nn.Linear` keeps the transpose, so the row blocks are "
        "column blocks of `out_weight`: `out_weight[:, i * d_head : (i + 1) * d_head]`. One "
        "product for each head, and nothing is left over: that is why heads can be looked at, "
        "counted and silenced one by one."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "If all heads but one were 0, which columns of `out_weight` would still matter for the "
        "result?",
        "In the formula W^O stands with `head * d_head` rows; `nn.Linear` keeps its transpose. "
        "Turn it over, then cut the rows into one piece for each head. A product of two tensors "
        "with three axes multiplies piece by piece.",
        "```python\nrows = out_weight.T.reshape(...)   # [head, d_head, d_model]\n"
        "return ...                         # [head, seq, d_head] times [head, d_head, d_model]"
        "\n```",
    ),
    returns=("the contributions",),
)
