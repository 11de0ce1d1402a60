"""Windows: pieces of a long text, each with the same piece one token later as its answer."""

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.losses import IGNORE


def random_windows(
    ids: Tensor, seq_len: int, batch_size: int, generator: torch.Generator
) -> tuple[Int64[Tensor, "batch seq"], Int64[Tensor, "batch seq"]]:
    """Draw windows that start anywhere in the text, each start equally likely.

    Args:
        ids: the text, one axis of whole numbers.
        seq_len: tokens in a window.
        batch_size: number of windows.
        generator: source of the starts; the same state gives the same windows.

    Returns:
        ``inputs`` and ``targets``; the target at a position is the token behind it.

    Raises:
        TypeError: if the ids are not whole numbers.
        ValueError: if the text is empty or holds fewer than ``seq_len + 1`` tokens.
    """
    require_text(ids, seq_len)
    if batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}")
    starts = torch.randint(len(ids) - seq_len, (batch_size,), generator=generator)
    return _cut(ids, starts, seq_len)


def consecutive_windows(
    ids: Tensor, seq_len: int, stride: int | None = None
) -> tuple[Int64[Tensor, "window seq"], Int64[Tensor, "window seq"]]:
    """Cut the text into windows from its start on; what is left at the end is dropped.

    Args:
        ids: the text, one axis of whole numbers.
        seq_len: tokens in a window.
        stride: from one start to the next; left out, ``seq_len``, so that every token but the
            first is the target of exactly one position.

    Raises:
        TypeError, ValueError: as for :func:`random_windows`.
    """
    require_text(ids, seq_len)
    stride = seq_len if stride is None else stride
    if stride < 1:
        raise ValueError(f"stride must be >= 1, got {stride}")
    return _cut(ids, torch.arange(0, len(ids) - seq_len, stride), seq_len)


def windows_scored_once(
    ids: Tensor, max_seq_len: int, stride: int | None = None
) -> tuple[Tensor, Tensor]:
    """Cut overlapping windows to the very end; targets that an earlier one scored are ignored.

    Args:
        ids: one axis.
        max_seq_len: of a window; a shorter text is one window.
        stride: from window to window; left out, half a window.
    """
    seq_len = min(max_seq_len, len(ids) - 1)
    if seq_len == 0:
        raise ValueError(f"text must hold at least 2 tokens, got {len(ids)}")
    stride = max(1, seq_len // 2) if stride is None else stride
    require_whole(1, stride=stride)
    if stride > seq_len:
        raise ValueError(f"stride must lie in [1, {seq_len}], got {stride}")
    last = len(ids) - 1 - seq_len
    starts = torch.tensor([*range(0, last, stride), last])
    positions = starts.unsqueeze(-1) + torch.arange(seq_len + 1)  # [window, seq + 1]
    pieces = ids[positions].long()
    done = torch.cat([torch.zeros(1, dtype=torch.long), starts[:-1] + seq_len])
    targets = pieces[:, 1:].masked_fill(positions[:, 1:] <= done.unsqueeze(-1), IGNORE)
    return pieces[:, :-1], targets


def _cut(ids: Tensor, starts: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    """Read ``seq_len + 1`` tokens from each start; all but the last are inputs."""
    positions = starts.unsqueeze(-1) + torch.arange(seq_len + 1)  # [window, seq + 1]
    pieces = ids[positions].long()
    return pieces[:, :-1], pieces[:, 1:]


def require_text(ids: Tensor, seq_len: int, name: str = "ids") -> None:
    """Raise unless one window with its targets fits into the text; errors call it ``name``."""
    if not isinstance(ids, Tensor):
        raise TypeError(
            f"{name} must be a tensor of ids (byte_ids makes one), got {type(ids).__name__}"
        )
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"{name} must hold whole numbers, got {ids.dtype}")
    if ids.ndim != 1:
        raise ValueError(f"{name} must have one axis, got shape {tuple(ids.shape)}")
    if seq_len < 1:
        raise ValueError(f"seq_len must be >= 1, got {seq_len}")
    if len(ids) < seq_len + 1:
        got = len(ids) or "0: the text is empty"
        raise ValueError(f"{name} must hold at least seq_len + 1 = {seq_len + 1} ids, got {got}")
