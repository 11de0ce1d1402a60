"""What a causal mask can save: pairs that are hidden need not be computed (lesson 65)."""

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.operation_counts import budget, counted
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.masks import causal_mask


@dataclass(frozen=True)
class Skipped:
    """Attention that leaves out the keys behind each strip of queries.

    Args:
        share: of the operations of attention over all pairs.
        causal: largest difference from causal attention over all pairs.
        two_sided: largest difference from attention without a mask.
    """

    share: float
    causal: float
    two_sided: float


def in_strips(
    q: Float[Tensor, "seq d_head"],
    k: Float[Tensor, "seq d_head"],
    v: Float[Tensor, "seq d_head"],
    n_strips: int,
) -> Float[Tensor, "seq d_head"]:
    """Compute causal attention a strip of queries at a time; none looks behind its own end."""
    require_whole(1, n_strips=n_strips)
    found, end = [], 0
    for queries in q.tensor_split(n_strips):
        end += len(queries)
        visible = causal_mask(len(queries), end)
        found.append(scaled_dot_product_attention(queries, k[:end], v[:end], visible).z)
    return torch.cat(found)


def skipped(n_words: int, n_strips: int, d_head: int = 16, seed: int = 0) -> Skipped:
    """Compare strips with all pairs, on random queries, keys and values in float64."""
    require_whole(1, n_words=n_words, d_head=d_head)
    if n_words % n_strips:
        raise ValueError(
            f"n_strips must divide n_words, got n_strips={n_strips}, n_words={n_words}"
        )
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, n_words, d_head, generator=generator, dtype=torch.float64)
    whole = partial(scaled_dot_product_attention, q, k, v)
    strips = in_strips(q, k, v, n_strips)
    share = counted(lambda: in_strips(q, k, v, n_strips)) / counted(whole)
    differences = [
        (strips - whole(visible).z).abs().max().item() for visible in (causal_mask(n_words), None)
    ]
    return Skipped(share, *differences)


@dataclass(frozen=True)
class BlockCost:
    """Operations of one block for one text: of its weights, and of pairs seen and hidden."""

    d_model: int
    n_words: int
    matrices: int
    seen: int
    hidden: int

    @property
    def needed(self) -> float:
        """The share that is left when hidden pairs are left out."""
        return 1 - self.hidden / (self.matrices + self.seen + self.hidden)


def block_cost(d_model: int, n_words: int) -> BlockCost:
    """Split the operations of a block by whether a causal mask needs them.

    Cost:
        24 T d^2 for the weights; 4 d for each pair, of which T (T + 1) / 2 are seen.
    """
    counts = budget(1, d_model, 1, n_words).operations
    seen = 4 * d_model * n_words * (n_words + 1) // 2
    matrices = counts["attention"] + counts["feed_forward"]
    return BlockCost(d_model, n_words, matrices, seen, counts["pairs"] - seen)
