"""Lesson 52, third exercise: the rows of one text out of blocks that lie anywhere."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(memory, table, length):
    """The rows of one text in their order."""
    raise NotImplementedError


def _solution(memory, table, length):
    blocks = memory[table]  # [blocks of this text, block_size, width]
    return blocks.flatten(0, 1)[:length]


def _by_place(place):
    """Row i from block and row as ``place(i, table, block_size)`` has them."""

    def wrong(memory, table, length):
        table, size = torch.as_tensor(table).tolist(), memory.shape[1]
        found = [place(i, table, size) for i in range(length)]
        return torch.stack([memory[block, row] for block, row in found])

    return wrong


_MISTAKES = (
    Mistake(
        "not cut to length",
        lambda memory, table, length: memory[table].flatten(0, 1),
        "You return all places of the text's blocks. The last block need not be full; what stands "
        "behind the text's last row is nobody's. (If `[:length]` is there: which axis does it "
        "cut?)",
    ),
    Mistake(
        "the table is not used",
        lambda memory, table, length: memory.flatten(0, 1)[:length],
        "You read the memory from its beginning, as if the text lay there in one piece. Which "
        "blocks are the text's?",
    ),
    Mistake(
        "in the order of memory",
        lambda memory, table, length: memory[table.sort().values].flatten(0, 1)[:length],
        "You take the right blocks in the order in which they lie in memory. The table has them in "
        "the order of the text.",
    ),
    Mistake(
        "from the first block on",
        lambda memory, table, length: memory[table[0] :].flatten(0, 1)[:length],
        "You go on behind the first block. The next block of the text is somewhere else; the table "
        "says where.",
    ),
    Mistake(
        "every block cut",
        lambda memory, table, length: memory[table][:, : -(-length // len(table))].flatten(0, 1),
        "You cut the same number of rows out of every block. All blocks but the last are full.",
    ),
    Mistake(
        "row by row across the blocks",
        _by_place(lambda i, table, size: (table[i % len(table)], i // len(table))),
        "You take the first row of every block, then the second of every block. A text fills one "
        "block before it takes the next: which block and which row follow from `i`?",
    ),
    Mistake(
        "axes not joined",
        lambda memory, table, length: memory[table],
        "You return blocks, `[block, place, width]`. Asked for are rows, one behind the other.",
    ),
    Mistake(
        "last row missing",
        lambda memory, table, length: memory[table].flatten(0, 1)[: length - 1],
        "The last row is missing: `length` counts rows, and a slice leaves out its end by itself.",
    ),
    Mistake(
        "full blocks alone",
        lambda memory, table, length: memory[table].flatten(0, 1)[
            : length // memory.shape[1] * memory.shape[1]
        ],
        "You leave out the rows in the last block, which is not full. They belong to the text.",
    ),
)


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(52)
    sizes = (
        (6, 3, 2, [4, 1, 5], 8, torch.float32),
        (7, 4, 3, [2, 6, 0, 3], 13, torch.float64),
        (5, 2, 4, [3, 1], 4, torch.float32),
        (4, 5, 2, [2], 3, torch.float16),
    )
    return tuple(
        Case({
            "memory": torch.randn(blocks, size, width, generator=generator).to(dtype),
            "table": torch.tensor(table),
            "length": length,
        })
        for blocks, size, width, table, length, dtype in sizes
    )  # fmt: skip


from_blocks = Exercise(
    name="lesson_52.from_blocks",
    task=(
        "Write `from_blocks(memory, table, length)`. `memory` is `[n_blocks, block_size, width]`; "
        "`table` is a tensor of whole numbers, the blocks of one text in the order in which it has "
        "filled them; `length` says how many rows it has. Return them in their order, `[length, "
        "width]`."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Row `i` is row `i % block_size` of block `table[i // block_size]`. Indexed with a tensor, "
        "`memory` gives all blocks at once, in the order of the table; joined, they are the text "
        "and what is left of its last block."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "Blocks hold four rows. In which block of the table does row 9 stand, and at which place?",
        "A tensor of whole numbers as an index picks rows of the first axis, in its own order. "
        "Then two axes have to become one, and the end has to go.",
        "```python\nblocks = memory[...]      # [blocks of this text, block_size, width]\n"
        "return ...\n```",
    ),
    returns=("the rows",),
)
