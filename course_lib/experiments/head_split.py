"""One width, cut into more or fewer heads: what that costs, and what it does not (lesson 23)."""

from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib.config import require_whole
from course_lib.mechanisms.attention import MultiHeadAttention

D_MODEL, SEQ_LEN = 64, 24


@dataclass(frozen=True)
class HeadSplit:
    """A layer of attention over one text, by the numbers.

    ``parameters`` are its weights and biases, ``operations`` the additions and multiplications
    of all its matrix products, ``probabilities`` the shares that softmax makes.
    """

    d_model: int
    seq_len: int
    n_heads: int
    d_head: int
    parameters: int
    operations: int
    probabilities: int


def split_width(
    n_heads: int, d_model: int = D_MODEL, seq_len: int = SEQ_LEN, d_head: int | None = None
) -> HeadSplit:
    """Work out what a layer costs from its sizes alone.

    Args:
        d_head: left out, an equal share of ``d_model``, as everywhere.

    Raises:
        TypeError, ValueError: if a size is no whole number >= 1, or the heads do not fill the
            width.

    Cost:
        8 * seq_len * d_model * width + 4 * seq_len^2 * width operations, where
        width = n_heads * d_head is d_model unless ``d_head`` is given.
    """
    require_whole(1, n_heads=n_heads, d_model=d_model, seq_len=seq_len)
    if d_head is None:
        if d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model={d_model}, got {n_heads}")
        d_head = d_model // n_heads
    require_whole(1, d_head=d_head)
    width = n_heads * d_head
    return HeadSplit(
        d_model, seq_len, n_heads, d_head,
        parameters=3 * (d_model * width + width) + width * d_model + d_model,
        operations=8 * seq_len * d_model * width + 4 * seq_len**2 * width,
        probabilities=n_heads * seq_len**2,
    )  # fmt: skip


def beside_one_head(n_heads: int, full_width: bool = False) -> tuple[HeadSplit, HeadSplit]:
    """Work out a layer of several heads and, to compare, one of a single head.

    Args:
        full_width: True when every head keeps the whole width of the model.
    """
    return split_width(n_heads, d_head=D_MODEL if full_width else None), split_width(1)


@torch.no_grad()
def measure_split(
    n_heads: int, d_model: int = D_MODEL, seq_len: int = SEQ_LEN, d_head: int | None = None
) -> HeadSplit:
    """Build the layer, run it, and let PyTorch count what :func:`split_width` works out."""
    require_whole(1, seq_len=seq_len)
    attn = MultiHeadAttention(d_model, n_heads, d_head)
    x = torch.zeros(1, seq_len, d_model)
    with FlopCounterMode(display=False) as counter:
        attn(x)
    return HeadSplit(
        d_model, seq_len, n_heads, attn.q_proj.out_features // n_heads,
        parameters=sum(p.numel() for p in attn.parameters()),
        operations=counter.get_total_flops(),
        probabilities=attn.attend(x).probs.numel(),
    )  # fmt: skip
