"""Whole texts: one short text a row, from its first token to its end, never cut in two."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.losses import IGNORE


@dataclass(frozen=True)
class WholeTexts:
    """Texts of unequal length as rows: every row begins at a text's beginning.

    The boundary token stands before each text, so that its first token is predicted too, and
    behind it as the last answer.  Shorter rows are filled up with it, and what is filled up is
    not scored.  A causal mask keeps it out of sight: it stands behind all that is.

    Attributes:
        inputs: the boundary and the text.
        targets: the text and the boundary, ``IGNORE`` where a row is filled up.
    """

    inputs: Int64[Tensor, "text seq"]
    targets: Int64[Tensor, "text seq"]

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.inputs)

    @property
    def n_scored(self) -> int:
        """How many tokens are predicted, the ends included."""
        return int((self.targets != IGNORE).sum())

    def draw(self, batch_size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Draw texts, each equally likely; rows are cut to the longest text drawn."""
        require_whole(1, batch_size=batch_size)
        chosen = torch.randint(len(self), (batch_size,), generator=generator)
        return self.rows(chosen)

    def spread(self, n_texts: int) -> tuple[Tensor, Tensor]:
        """Pick texts evenly over all of them, the same each time; fewer if there are fewer."""
        require_whole(1, n_texts=n_texts)
        n_texts = min(n_texts, len(self))
        return self.rows(torch.arange(n_texts) * len(self) // n_texts)

    def rows(self, chosen: Int64[Tensor, " n"]) -> tuple[Tensor, Tensor]:
        """Some of the texts, without the part of the rows that none of them needs."""
        inputs, targets = self.inputs[chosen], self.targets[chosen]
        longest = int((targets != IGNORE).sum(dim=-1).max())
        return inputs[:, :longest], targets[:, :longest]


def whole_texts(texts: Sequence[Sequence[int]], boundary_id: int) -> WholeTexts:
    """Put texts into rows.

    Args:
        texts: the ids of each text, without a boundary.
        boundary_id: an id that stands for nothing else.

    Raises:
        TypeError, ValueError: if there is no text, one is empty, or one holds the boundary.
    """
    require_whole(0, boundary_id=boundary_id)
    if not len(texts):
        raise ValueError("texts must hold at least one text, got none")
    for i, text in enumerate(texts):
        if not len(text):
            raise ValueError(f"texts[{i}] must not be empty")
        if boundary_id in text:
            raise ValueError(f"texts[{i}] must not hold the boundary's id {boundary_id}")
    longest = 1 + max(map(len, texts))
    inputs = torch.full((len(texts), longest), boundary_id)
    targets = torch.full((len(texts), longest), IGNORE)
    for i, text in enumerate(texts):
        ids = _whole_ids(i, text)
        inputs[i, 1 : len(ids) + 1] = ids
        targets[i, : len(ids)] = ids
        targets[i, len(ids)] = boundary_id
    return WholeTexts(inputs, targets)


def _whole_ids(i: int, text: Sequence[int]) -> Tensor:
    """Return a text's ids, sure that they are ids; ``IGNORE`` among them would not be scored."""
    ids = torch.as_tensor(list(text))
    if ids.ndim != 1 or ids.is_floating_point() or ids.dtype == torch.bool:
        raise TypeError(f"texts[{i}] must hold whole numbers, got {list(text)[:4]}")
    if ids.min() < 0:
        raise ValueError(f"texts[{i}] must hold ids >= 0, got {int(ids.min())}")
    return ids
