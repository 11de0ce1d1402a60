"""Windows: pieces of a long text, each with the same piece one token later as its answer."""

import torch
from jaxtyping import Int64
from torch import Tensor


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
