"""Lesson 23, third exercise: a layer without one of its heads."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(out_weight, n_heads, head):
    raise NotImplementedError


def _solution(out_weight, n_heads, head):
    d_head = out_weight.shape[1] // n_heads
    silenced = out_weight.clone()
    silenced[:, head * d_head : (head + 1) * d_head] = 0
    return silenced


def _zeroed(columns):
    """Set the columns that ``columns(weight, n_heads, head)`` names to 0."""

    def wrong(out_weight, n_heads, head):
        silenced = out_weight.clone()
        silenced[:, columns(out_weight, n_heads, head)] = 0
        return silenced

    return wrong


def _rows(out_weight, n_heads, head):
    silenced = out_weight.clone()
    d_head = out_weight.shape[0] // n_heads
    silenced[head * d_head : (head + 1) * d_head] = 0
    return silenced


def _rows_of_right_width(out_weight, n_heads, head):
    silenced = out_weight.clone()
    d_head = out_weight.shape[1] // n_heads
    silenced[head * d_head : (head + 1) * d_head] = 0
    return silenced


def _from_one(out_weight, n_heads, head):
    d_head = out_weight.shape[1] // n_heads
    return slice(max(head - 1, 0) * d_head, head * d_head)


def _only_that_head(out_weight, n_heads, head):
    return out_weight - _solution(out_weight, n_heads, head)


def _cut_out(out_weight, n_heads, head):
    d_head = out_weight.shape[1] // n_heads
    return torch.cat([out_weight[:, : head * d_head], out_weight[:, (head + 1) * d_head :]], dim=1)


def _scaled_up(out_weight, n_heads, head):
    return _solution(out_weight, n_heads, head) * n_heads / (n_heads - 1)


def _one_row(out_weight, n_heads, head):
    silenced = out_weight.clone()
    silenced[head] = 0
    return silenced


def _chunk_of_rows(out_weight, n_heads, head):
    silenced = out_weight.clone()
    silenced.chunk(n_heads)[head].zero_()
    return silenced


def _heads_first(out_weight, n_heads, head):
    silenced = out_weight.clone()
    silenced.view(n_heads, -1)[head] = 0
    return silenced


def _corner(out_weight, n_heads, head):
    start = head * (out_weight.shape[1] // n_heads)
    silenced = out_weight.clone()
    silenced[start:, start:] = 0
    return silenced


_MISTAKES = (
    Mistake(
        "rows in place of columns",
        _rows,
        "You set rows of `out_weight` to 0. A row makes one entry of the output, from all heads "
        "together: your layer loses outputs, not a head. Which axis runs over the heads' entries?",
    ),
    Mistake(
        "rows, as many as a head is wide",
        _rows_of_right_width,
        "The width of a head is right, but you set rows to 0. `out_weight` is [d_model, head * "
        "d_head]: which axis runs over the heads' entries?",
    ),
    Mistake(
        "heads counted from 1",
        _zeroed(_from_one),
        "You silence the head before the one that was asked for. Heads are counted from 0 here.",
    ),
    Mistake(
        "a single column",
        _zeroed(lambda weight, n_heads, head: head),
        "You set one column to 0. A head is `d_head` columns wide.",
    ),
    Mistake(
        "every n-th column",
        _zeroed(lambda weight, n_heads, head: slice(head, None, n_heads)),
        "You set every n-th column to 0, a piece of every head. The columns of one head stand "
        "together.",
    ),
    Mistake(
        "from the start up to the head",
        _zeroed(lambda w, n, head: slice(0, (head + 1) * (w.shape[1] // n))),
        "All heads up to this one are silent. Where do the columns of this head begin?",
    ),
    Mistake(
        "from the head to the end",
        _zeroed(lambda w, n, head: slice(head * (w.shape[1] // n), None)),
        "All heads from this one on are silent. Where do the columns of this head end?",
    ),
    Mistake(
        "slice that does not start at the head",
        _zeroed(lambda w, n, head: slice(head, head + w.shape[1] // n)),
        "Your slice is as wide as a head, but it starts at column `head`. How many columns come "
        "before this head's first one?",
    ),
    Mistake(
        "end without the product",
        _zeroed(lambda w, n, head: slice(head * (w.shape[1] // n), head + w.shape[1] // n)),
        "Your slice starts at the head and ends at `head + d_head`. It should be `d_head` columns "
        "long: where does it end?",
    ),
    Mistake(
        "the next head",
        _zeroed(lambda w, n, h: slice((h + 1) * (w.shape[1] // n), (h + 2) * (w.shape[1] // n))),
        "You silence the head after the one that was asked for. Heads are counted from 0.",
    ),
    Mistake(
        "one column short",
        _zeroed(lambda w, n, h: slice(h * (w.shape[1] // n), (h + 1) * (w.shape[1] // n) - 1)),
        "The last column of the head still speaks. A slice leaves its end out by itself: there is "
        "no need to take 1 away.",
    ),
    Mistake(
        "one column too many",
        _zeroed(lambda w, n, h: slice(h * (w.shape[1] // n), (h + 1) * (w.shape[1] // n) + 1)),
        "You silence the first column of the next head as well. Where does a slice end?",
    ),
    Mistake(
        "a single row",
        _one_row,
        "You set one row to 0: one entry of the output, from all heads. A head is `d_head` columns "
        "of `out_weight`.",
    ),
    Mistake(
        "chunk along the rows",
        _chunk_of_rows,
        "`chunk` cuts along axis 0 unless told otherwise, and axis 0 of `out_weight` holds the "
        "outputs. Which axis holds the heads?",
    ),
    Mistake(
        "cut with the heads first",
        _heads_first,
        "A view with the heads first cuts the matrix along its rows: memory is read row by row. "
        "The heads lie along the second axis.",
    ),
    Mistake(
        "left turned over",
        lambda w, n, head: _solution(w, n, head).T,
        "The numbers are right, but the matrix is turned over. Return `[d_model, n_heads * "
        "d_head]`, as it came.",
    ),
    Mistake(
        "a corner",
        _corner,
        "You set a corner of the matrix to 0. A head's columns go from top to bottom, and end "
        "where the next head begins.",
    ),
    Mistake(
        "width of the model divided by the heads",
        _zeroed(lambda w, n, head: slice(head * (w.shape[0] // n), (head + 1) * (w.shape[0] // n))),
        "You take the width of a head from the model's width. Often they fit together, but a head "
        "may have any width: read it from the axis that holds the heads.",
    ),
    Mistake(
        "all the others silenced",
        _only_that_head,
        "You keep this head and silence all the others: the other way round.",
    ),
    Mistake(
        "columns cut out",
        _cut_out,
        "You cut the columns out, and the matrix gets narrower: it no longer fits the heads that "
        "come in. Keep the shape and set the columns to 0.",
    ),
    Mistake(
        "the others made larger",
        _scaled_up,
        "The head is silent, but you make the others larger to make up for it, as dropout does. "
        "What is asked for is the same model without this head, all else as it was.",
    ),
    Mistake(
        "nothing changed",
        lambda out_weight, n_heads, head: out_weight.clone(),
        "What you return is the weight as it was. Does your change go into the tensor that you "
        "return?",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(25)
    sizes = ((6, 6, 2, 1), (8, 12, 3, 1), (10, 20, 4, 2), (7, 15, 5, 3), (12, 6, 3, 0))
    return tuple(
        Case({
            "out_weight": torch.randn(d_model, width, generator=generator),
            "n_heads": n_heads,
            "head": head,
        })
        for d_model, width, n_heads, head in sizes
    )  # fmt: skip


silence_head = Exercise(
    name="lesson_23.silence_head",
    task=(
        "Write `silence_head(out_weight, n_heads, head)`: a **copy** of the weight of `out_proj`, "
        "`[d_model, n_heads * d_head]`, in which head number `head` (counted from 0) adds nothing "
        "to the stream and everything else is as before. The width of a head need not be `d_model "
        "/ n_heads`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "A head reaches the stream through its own columns of `out_weight` and in no other way, "
        "so setting them to 0 silences it, whatever it attends to. The width of a head is that of "
        "the axis that holds the heads, divided by their number; the model's width may be "
        "another. The copy matters, and a slice or a transpose is none: both share the memory of "
        "the original. With `out_weight[...] = 0` on the weight itself, the next head would be "
        "measured in a model that has lost this one already."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "Through which numbers of `out_weight` does a head reach the stream, and through which "
        "does it not?",
        "The columns stand in the order of the heads, `d_head` for each. Work out `d_head` from "
        "the shape, then where the columns of this head begin and where they end; and change a "
        "clone.",
        "```python\nd_head = ...                 # from the axis that holds the heads\n"
        "silenced = out_weight.clone()\nsilenced[:, ... : ...] = 0\nreturn silenced\n```",
    ),
    returns=("the weight",),
)
