"""Lesson 23, first exercise: lay the heads side by side again."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_merge(z):
    """The usual slip: it runs, the shape is right, and the numbers stand in wrong places."""
    batch, n_heads, seq, d_head = z.shape
    return z.reshape(batch, seq, n_heads * d_head)


def _solution(z):
    batch, n_heads, seq, d_head = z.shape
    side_by_side = z.transpose(1, 2)  # [batch, seq, head, d_head]
    return side_by_side.reshape(batch, seq, n_heads * d_head)


def _view_after_transpose(z):
    batch, n_heads, seq, d_head = z.shape
    return z.transpose(1, 2).view(batch, seq, n_heads * d_head)


def _wrong_pair(z):
    batch, n_heads, seq, d_head = z.shape
    return z.transpose(2, 3).reshape(batch, seq, n_heads * d_head)


def _axes_misread(z):
    batch, seq, n_heads, d_head = z.shape
    return z.transpose(1, 2).reshape(batch, seq, n_heads * d_head)


def _reshape_first(z):
    batch, n_heads, seq, d_head = z.shape
    return z.reshape(batch, n_heads * d_head, seq).transpose(1, 2)


def _moved(move):
    """Move axes with ``move``, then force the right shape."""

    def wrong(z):
        batch, n_heads, seq, d_head = z.shape
        return move(z).reshape(batch, seq, n_heads * d_head)

    return wrong


_MISTAKES = (
    Mistake(
        "reshape without transpose",
        lambda z: z.reshape(z.shape[0], z.shape[2], -1),
        "The shape is right and the numbers stand in wrong places. In memory all positions of "
        "head 1 come first, so a row of yours mixes several positions. Which two axes must change "
        "places before heads and their entries can be joined?",
    ),
    Mistake(
        "view after transpose",
        _view_after_transpose,
        "The transpose is right. It only changes how memory is walked through, and `view` needs "
        "neighbouring numbers to lie side by side. `reshape` copies them where it must.",
    ),
    Mistake(
        "transposed entries in place of heads",
        _wrong_pair,
        "You swap the positions with the entries of a head. It is the heads that must stand "
        "directly before the entries: which axis do they have to change places with?",
    ),
    Mistake(
        "entries of the heads interleaved",
        lambda z: z.permute(0, 2, 3, 1).flatten(2),
        "Each position has the right numbers in the wrong order: first entry of every head, then "
        "second entry of every head. W^O expects all of head 1, then all of head 2.",
    ),
    Mistake(
        "heads in reverse order",
        lambda z: z.flip(1).transpose(1, 2).flatten(2),
        "The heads stand in reverse order. The first rows of W^O belong to the first head.",
    ),
    Mistake(
        "sum of the heads",
        lambda z: z.sum(dim=1),
        "You add the heads up. They are added up in the end, but only after each has met its own "
        "rows of W^O; before that they stand side by side.",
    ),
    Mistake(
        "mean of the heads",
        lambda z: z.mean(dim=1),
        "You average the heads. What each has found would be mixed before W^O can tell them "
        "apart. Lay them side by side.",
    ),
    Mistake(
        "flattened without transpose",
        lambda z: z.flatten(2),
        "You join positions and entries: each head becomes one long row. It is the heads that the "
        "entries must be joined with. Which axis has to move first?",
    ),
    Mistake(
        "axes misread",
        _axes_misread,
        "You call the second axis of `z` the positions. It holds the heads: `[batch, head, seq, "
        "d_head]`. The transpose is right; the names are not, and so the sizes are not.",
    ),
    Mistake(
        "reshape first, transpose after",
        _reshape_first,
        "You reshape first and transpose after. By then the reshape has cut memory in the wrong "
        "places. Move the axes first, then join them.",
    ),
    Mistake(
        "joined, then turned over",
        lambda z: z.flatten(1, 2).transpose(1, 2),
        "You string heads and positions together and then turn the result over. The axes have to "
        "move before any are joined.",
    ),
    Mistake(
        "positions moved to the front",
        _moved(lambda z: z.permute(2, 0, 1, 3)),
        "You move the positions in front of the texts, so a row of yours belongs to another text. "
        "The batch stays first.",
    ),
    Mistake(
        "batch and positions swapped",
        _moved(lambda z: z.transpose(0, 2)),
        "You swap texts and positions. The batch stays where it is: which two other axes have to "
        "change places?",
    ),
    Mistake(
        "heads and entries swapped",
        _moved(lambda z: z.transpose(1, 3)),
        "You swap the heads with their entries. The positions then stand between the two still. "
        "Which axis has to get out of the way?",
    ),
    Mistake(
        "heads one after the other",
        lambda z: z.flatten(1, 2),
        "You string the heads together along the positions: the text gets longer. They belong "
        "together along the entries: each position gets wider.",
    ),
    Mistake(
        "first head alone",
        lambda z: z[:, 0],
        "Only the first head is left. Where do the others go?",
    ),
    Mistake(
        "transposed and not joined",
        lambda z: z.transpose(1, 2),
        "Heads and positions have changed places, as they must. Now join the last two axes to one.",
    ),
    Mistake(
        "batch and heads mixed",
        lambda z: z.transpose(0, 1).reshape(z.shape[0], z.shape[2], -1),
        "You swap texts and heads, so that one text gets numbers of another. The texts stay where "
        "they are.",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(23)
    shapes = ((2, 3, 5, 4), (3, 2, 4, 5), (1, 4, 3, 2), (2, 5, 1, 3))
    return tuple(Case({"z": torch.randn(*shape, generator=generator)}) for shape in shapes)


join_heads = Exercise(
    name="lesson_23.join_heads",
    task=(
        "Repair the function above. `z` has the shape `[batch, head, seq, d_head]`: what each "
        "head has mixed, at each position. Return `[batch, seq, head * d_head]`: at each position "
        "all of head 1, then all of head 2, and so on."
    ),
    stub=broken_merge,
    reference=_solution,
    explanation=(
        "`reshape` never moves a number past another: it reads memory in order and cuts it into "
        "new rows. In memory head 1 comes first with all of its positions. So the heads must "
        "first move behind the positions, and that is what `transpose(1, 2)` does. The slip is "
        "famous because nothing complains: the shape is right, the loss is finite, and a model "
        "even learns a little, with positions that see into each other. "
        "`z.transpose(1, 2).flatten(2)` is the same."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "Take one position of one text. Where in memory do the numbers lie that belong to it: "
        "side by side, or one piece in the block of each head?",
        "Joining two axes needs them to be neighbours, in the order in which they shall be read. "
        "The axes are batch, head, seq, d_head. Which one has to move so that head and d_head are "
        "neighbours?",
        "```python\nside_by_side = z.transpose(..., ...)   # [batch, seq, head, d_head]\n"
        "return side_by_side.reshape(...)\n```",
    ),
    returns=("the joined heads",),
)
