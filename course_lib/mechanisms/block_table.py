"""Paging: rows of many growing texts in one piece of memory, block by block."""

from collections.abc import Hashable

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_width


class BlockPool:
    """Memory cut into blocks of equal size, which texts take one at a time as they grow.

    A text's rows (its keys and values, say) lie wherever a block was free.  Its *block table*
    lists these blocks in the order of the text: row ``i`` is row ``i % block_size`` of block
    ``table[i // block_size]``.  So no more than ``block_size - 1`` places of a text stand empty.

    Args:
        n_blocks: how many blocks the memory has.
        block_size: rows in a block.
        width: numbers in a row.
        dtype: of these numbers.

    Attributes:
        memory: all blocks, ``[n_blocks, block_size, width]``.
        tables: the block table of each text.
        lengths: how many rows each text has.

    Source:
        Kwon et al. 2023, section 4; a first look: no sharing, no swapping, one device.
    """

    def __init__(
        self, n_blocks: int, block_size: int, width: int, dtype: torch.dtype = torch.float32
    ):
        require_whole(1, n_blocks=n_blocks, block_size=block_size, width=width)
        self.memory = torch.zeros(n_blocks, block_size, width, dtype=dtype)
        self.tables: dict[Hashable, list[int]] = {}
        self.lengths: dict[Hashable, int] = {}
        self._free = list(range(n_blocks))

    @property
    def n_free(self) -> int:
        """How many blocks belong to no text."""
        return len(self._free)

    def append(self, text: Hashable, rows: Float[Tensor, "new width"]) -> None:
        """Write rows behind those that the text has; a text that is not there yet begins.

        Raises:
            ValueError: if the rows do not fit the memory's width, or need more blocks than are
                free; nothing is written then.
        """
        n_blocks, block_size, width = self.memory.shape
        require_width(width, rows=rows)
        if rows.ndim != 2:
            raise ValueError(f"rows must be [new, width], got shape {tuple(rows.shape)}")
        table, start = self.tables.get(text, []), self.lengths.get(text, 0)
        end = start + len(rows)
        more = -(-end // block_size) - len(table)  # rounded up
        if more > self.n_free:
            raise ValueError(
                f"rows need {more} more blocks of {block_size}, and {self.n_free} of {n_blocks} "
                "are free"
            )
        table = [*table, *self._free[:more]]
        places = torch.arange(start, end)
        blocks = torch.tensor(table, dtype=torch.long)[places // block_size]
        self.memory[blocks, places % block_size] = rows.to(self.memory.dtype)
        self._free = self._free[more:]
        self.tables[text], self.lengths[text] = table, end

    def read(self, text: Hashable) -> Float[Tensor, "length width"]:
        """Return all rows of a text in their order, as a copy (servers read where they lie)."""
        self._require(text)
        return self.memory[self.tables[text]].flatten(0, 1)[: self.lengths[text]]

    def release(self, text: Hashable) -> None:
        """Give the blocks of a text back; others may take them at once."""
        self._require(text)
        self._free += self.tables.pop(text)
        del self.lengths[text]

    def _require(self, text: Hashable) -> None:
        """Raise unless this text is here."""
        if text not in self.tables:
            raise ValueError(f"text must be one of {list(self.tables)}, got {text!r}")
