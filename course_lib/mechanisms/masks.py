"""Masks: which position may read which.  Everywhere in this course True means "may be read"."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_tensor


def causal_mask(
    n_query: int, n_key: int | None = None, device: torch.device | None = None
) -> Bool[Tensor, "query key"]:
    """Let each position read itself and what came before it, never what comes after.

    Args:
        n_query: number of positions that ask.
        n_key: number of positions that can be asked, by default the same ones.  When there are
            more, the queries are the last ``n_query`` of them.

    Raises:
        ValueError: if ``n_query`` is below 1 or larger than ``n_key``: some query would then
            stand before the first key and could read nothing.

    Source:
        Vaswani et al. 2017, section 3.2.3.
    """
    n_key = n_query if n_key is None else n_key
    require_whole(1, n_query=n_query, n_key=n_key)
    if n_query > n_key:
        raise ValueError(
            f"n_query must lie between 1 and n_key, got n_query={n_query}, n_key={n_key}"
        )
    everything = torch.ones(n_query, n_key, dtype=torch.bool, device=device)
    return everything.tril(diagonal=n_key - n_query)


def barrier(
    visible: Bool[Tensor, "*batch query key"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*batch query key"]:
    r"""Write a mask as the matrix M that is added to the scores: 0 where visible, else -inf.

    softmax turns a score of ``-inf`` into a share of exactly 0, so the rest of the row shares
    everything among itself.

    Raises:
        TypeError: if ``visible`` is not bool.  A mask of 0 and ``-inf`` is such an M already.
        ValueError: if some query may read no key: nothing would be left to share.

    Source:
        Vaswani et al. 2017, section 3.2.3 ("masking out (setting to -inf) all values").
    """
    require_tensor(visible=visible)
    if visible.dtype != torch.bool:
        raise TypeError(f"visible must be bool, True where a key may be read, got {visible.dtype}")
    if not visible.any(dim=-1).all():
        raise ValueError(
            "visible must leave each query at least one key to read, got a row with none"
        )
    open_gate = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
    return open_gate.masked_fill_(~visible, -torch.inf)
