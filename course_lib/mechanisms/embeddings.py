"""Embeddings: where ids become vectors, and where order enters."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_tensor


class TokenEmbedding(nn.Embedding):
    """A table with one learned row for each id of the vocabulary."""

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq d_model"]:
        """Look the ids up.

        Raises:
            TypeError: if the ids are not whole numbers.
            ValueError: if an id lies outside the vocabulary, or the axes are not batch and seq.
        """
        require_ids(token_ids, self.num_embeddings)
        return super().forward(token_ids)


class LearnedPositions(nn.Embedding):
    """A table with one learned row for each position; it ends at ``max_seq_len``.

    Source:
        Devlin et al. 2019, figure 2; Radford et al. 2018, section 3.1.
    """

    def forward(self, seq_len: int) -> Float[Tensor, "seq d_model"]:
        """Return the rows of the first ``seq_len`` positions.

        Raises:
            ValueError: if the table has fewer rows.
        """
        require_whole(1, seq_len=seq_len)
        if seq_len > self.num_embeddings:
            raise ValueError(
                f"token_ids must hold at most max_seq_len={self.num_embeddings} positions, "
                f"got {seq_len}"
            )
        return self.weight[:seq_len]


def require_ids(token_ids: object, vocab_size: int) -> None:
    """Raise unless there are rows of whole numbers in [0, vocab_size), not empty."""
    require_tensor(token_ids=token_ids)
    if token_ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"token_ids must hold whole numbers (int64), got {token_ids.dtype}")
    if token_ids.ndim != 2:
        raise ValueError(f"token_ids must have shape (batch, seq), got {tuple(token_ids.shape)}")
    if token_ids.numel() == 0:
        raise ValueError(f"token_ids must not be empty, got shape {tuple(token_ids.shape)}")
    smallest, largest = (int(bound) for bound in token_ids.aminmax())
    if smallest < 0 or largest >= vocab_size:
        wrong = smallest if smallest < 0 else largest
        raise ValueError(f"token_ids must lie in [0, vocab_size={vocab_size}), got {wrong}")
