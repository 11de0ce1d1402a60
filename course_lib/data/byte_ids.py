"""Bytes as token ids: the simplest vocabulary there is, 256 entries and nothing unknown."""

import torch
from jaxtyping import UInt8
from torch import Tensor

N_BYTES = 256


def byte_ids(text: bytes | str) -> UInt8[Tensor, " length"]:
    """Return each byte as its id; a string is encoded as UTF-8 first.

    The ids stay one byte wide, so a long text costs no more memory than the text itself.

    Raises:
        TypeError, ValueError: if the text is no text, or empty.
    """
    if not isinstance(text, bytes | str):
        raise TypeError(f"text must be bytes or str, got {type(text).__name__}")
    raw = text.encode("utf8") if isinstance(text, str) else text
    if not raw:
        raise ValueError("text must not be empty, got 0 bytes")
    return torch.frombuffer(bytearray(raw), dtype=torch.uint8)


def text_of(ids: Tensor) -> str:
    """Turn ids back into text; bytes that are not UTF-8 become the replacement character."""
    return bytes(ids.reshape(-1).tolist()).decode("utf8", errors="replace")
