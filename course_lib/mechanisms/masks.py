"""Masks: which position may read which.  Everywhere in this course True means "may be read"."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_bool


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


def prefix_mask(
    seq_len: int, n_prefix: int, device: torch.device | None = None
) -> Bool[Tensor, "seq seq"]:
    """Causal, except that everybody may read the first ``n_prefix`` positions.

    Inside the prefix it is two-sided like BERT, behind it one-sided like GPT.

    Raises:
        ValueError: if ``n_prefix`` is below 0 or above ``seq_len``.

    Source:
        Raffel et al. 2020, section 3.2.1, figure 3 ("causal with prefix").
    """
    require_whole(0, n_prefix=n_prefix)
    visible = causal_mask(seq_len, device=device)
    if n_prefix > seq_len:
        raise ValueError(f"n_prefix must be <= seq_len={seq_len}, got {n_prefix}")
    visible[:, :n_prefix] = True
    return visible


def window_mask(
    seq_len: int, window: int, device: torch.device | None = None
) -> Bool[Tensor, "seq seq"]:
    """Causal, and only the last ``window`` positions may be read, one's own included.

    Source:
        Beltagy et al. 2020, section 3.1 ("sliding window"; theirs reaches to both sides).
    """
    require_whole(1, window=window)
    return causal_mask(seq_len, device=device).triu(1 - window)


def padding_mask(real: Bool[Tensor, "batch seq"]) -> Bool[Tensor, "batch 1 1 seq"]:
    """Let everybody read the real tokens of its own text, and nobody the padding.

    Texts of one batch must be equally long, so shorter ones are filled up with padding, which
    means nothing.  The two axes of length 1 are heads and queries: the same for all of them.

    Args:
        real: True at a token of the text, False at padding.

    Raises:
        TypeError: if ``real`` is not bool (a mask of 0 and 1 would have to be turned into one).
        ValueError: if it has not two axes, or some text has no real token at all.

    Source:
        Devlin et al. 2019 (in the released code: ``create_attention_mask_from_input_mask``).
    """
    require_real(real)
    return real[:, None, None, :]


def combine(
    visible: Bool[Tensor, "query key"], padding: Bool[Tensor, "batch 1 1 key"]
) -> Bool[Tensor, "batch 1 query key"]:
    """Let a query read a key if both masks let it; a padding query also reads itself.

    With padding on the left a causal row of a padding query would otherwise be empty, and a
    softmax over nothing is no number.  What such a query returns is never read by a real token
    and must never be scored.

    Args:
        visible: one mask for all texts, such as :func:`causal_mask`.  The queries are the last
            of the keys.
        padding: of :func:`padding_mask`, one row for each text.

    Raises:
        TypeError: if one of them is not bool.
        ValueError: if their numbers of keys differ, or there are more queries than keys.
    """
    _require_pair(visible, padding)
    n_query, n_key = visible.shape
    itself = torch.ones_like(visible).tril(n_key - n_query).triu(n_key - n_query)
    return visible & padding | itself & ~padding


def require_left_padding(real: Bool[Tensor, "batch seq"]) -> None:
    """Raise unless each text ends with its last real token, so that it can be gone on with."""
    require_real(real)
    if (real[:, :-1] & ~real[:, 1:]).any():
        raise ValueError("real must have its padding on the left, got padding behind a real token")


def require_real(real: object) -> None:
    """Raise unless ``real`` marks tokens by True, one row a text, and no text is all padding."""
    require_bool(real=real)
    if real.ndim != 2:
        raise ValueError(f"real must have shape (batch, seq), got {tuple(real.shape)}")
    if not real.any(dim=-1).all():
        raise ValueError("real must mark at least one token of each text, got a text with none")


def _require_pair(visible: object, padding: object) -> None:
    """Raise unless the two masks are about the same keys."""
    require_bool(visible=visible, padding=padding)
    if visible.ndim != 2 or visible.shape[0] > visible.shape[1]:
        raise ValueError(
            f"visible must have shape (query, key), with no more queries than keys, "
            f"got {tuple(visible.shape)}"
        )
    if padding.ndim != 4 or padding.shape[1:] != (1, 1, visible.shape[1]):
        raise ValueError(
            f"padding must have shape (batch, 1, 1, {visible.shape[1]}), as padding_mask gives "
            f"it, got {tuple(padding.shape)}"
        )


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
    require_bool(visible=visible)
    if not visible.any(dim=-1).all():
        raise ValueError(
            "visible must leave each query at least one key to read, got a row with none"
        )
    open_gate = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
    return open_gate.masked_fill_(~visible, -torch.inf)
