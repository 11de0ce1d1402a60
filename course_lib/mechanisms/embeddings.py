"""Embeddings: where ids become vectors."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.config import BertConfig, require_config
from course_lib.mechanisms.norms import LayerNorm
from course_lib.mechanisms.positions import LearnedPositions
from course_lib.mechanisms.require import (
    require_in_table,
    require_integers,
    require_position_ids,
    require_tensor,
)


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


class SegmentEmbedding(nn.Embedding):
    """A table with one learned row for each kind of sentence: BERT's A and B.

    Source:
        Devlin et al. 2019, section 3 and figure 2.
    """

    def forward(self, segment_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq d_model"]:
        """Look the segments up.

        Raises:
            TypeError: if the ids are not whole numbers.
            ValueError: if an id is no row of the table.
        """
        require_rows(segment_ids, "segment_ids", "n_segments", self.num_embeddings)
        return super().forward(segment_ids)


class InputEmbedding(nn.Module):
    r"""What BERT's first block reads: three vectors added, normalised, and some of it dropped.

    .. math:: x = \operatorname{dropout}(\operatorname{LN}(E_{token} + E_{position} + E_{segment}))

    With rotary positions there is no table of them; attention turns by them later.

    Source:
        Devlin et al. 2019, section 3 and figure 2, has the sum alone; norm and dropout are in
        the released code (``embedding_postprocessor``).
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        require_config(BertConfig, config)
        self.tokens = TokenEmbedding(config.vocab_size, config.d_model)
        learned = config.positions == "learned"
        self.positions = LearnedPositions(config.max_seq_len, config.d_model) if learned else None
        self.segments = SegmentEmbedding(config.n_segments, config.d_model)
        self.norm = LayerNorm(config.d_model, config.norm_eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        token_ids: Int[Tensor, "batch seq"],
        segment_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "*#batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """Look three tables up, add, normalise, drop.

        Args:
            token_ids: the text.
            segment_ids: 0 in the first sentence, 1 in the second; left out, 0 everywhere.
            position_ids: left out, 0, 1, 2 and so on.

        Raises:
            ValueError: if an id lies outside its table, or the shapes differ.
        """
        x = self.tokens(token_ids)
        if position_ids is None:
            position_ids = torch.arange(token_ids.shape[1], device=token_ids.device)
        if segment_ids is None:
            segment_ids = torch.zeros_like(token_ids)
        require_same_shape(token_ids, segment_ids=segment_ids)
        require_position_ids(position_ids, tuple(token_ids.shape))
        if self.positions is not None:
            x = x + self.positions(position_ids)
        x = x + self.segments(segment_ids)
        return self.dropout(self.norm(x))


def require_ids(token_ids: object, vocab_size: int) -> None:
    """Raise unless there are rows of whole numbers in [0, vocab_size), not empty."""
    require_rows(token_ids, "token_ids", "vocab_size", vocab_size)


def require_rows(ids: object, name: str, size_name: str, size: int) -> None:
    """Raise unless the ids are whole numbers (batch, seq) that all have a row in a table."""
    require_integers(**{name: ids})
    if ids.ndim != 2:
        raise ValueError(f"{name} must have shape (batch, seq), got {tuple(ids.shape)}")
    require_in_table(ids, name, size_name, size)


def require_same_shape(token_ids: Tensor, **given: object) -> None:
    """Raise an error that names the first argument that is not one entry for each token."""
    require_tensor(**given)
    for name, x in given.items():
        if x.shape != token_ids.shape:
            raise ValueError(
                f"{name} must hold one entry for each token, shape {tuple(token_ids.shape)}, "
                f"got {tuple(x.shape)}"
            )
