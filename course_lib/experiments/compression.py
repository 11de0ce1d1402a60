"""Compression: a model that predicts well codes well, so it can be held beside gzip and xz.

All numbers here are bits for each byte of the same text, and every method may first read the
same earlier text (it is "primed" with it).  Shorter is better; 8 is no compression at all.
"""

import lzma
import math
import zlib
from collections import Counter

import torch
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.data.byte_ids import N_BYTES, byte_ids
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.training.objectives import device_of, looking

GZIP_WINDOW = 32 * 1024  # bytes; the method cannot look back further


def frequency_bits_per_byte(text: bytes, primed_with: bytes) -> float:
    """Code each byte by how often it occurs in the earlier text, whatever stands before it.

    One is added to every count, so that a byte never seen before still has a code.
    """
    _require_text(text, primed_with)
    counts = Counter(primed_with)
    total = len(primed_with) + N_BYTES
    bits = (times * math.log2(total / (counts[byte] + 1)) for byte, times in Counter(text).items())
    return sum(bits) / len(text)


def gzip_bits_per_byte(text: bytes, primed_with: bytes = b"") -> float:
    """Compress with DEFLATE, gzip's method, at its highest level.

    Primed with the last 32 kB of the earlier text, as a preset dictionary: the method cannot
    look back further.  The file header (18 bytes) is left out.
    """
    _require_text(text, primed_with)
    dictionary = primed_with[-GZIP_WINDOW:]
    given = {"zdict": dictionary} if dictionary else {}
    coder = zlib.compressobj(level=9, method=zlib.DEFLATED, wbits=-15, memLevel=9, **given)
    return 8 * len(coder.compress(text) + coder.flush()) / len(text)


def xz_bits_per_byte(text: bytes, primed_with: bytes = b"") -> float:
    """Compress with LZMA2, xz's method, at its highest level.

    The method takes no preset dictionary, so what is counted is how much longer the compressed
    earlier text becomes when this one follows it.  Its window covers both.
    """
    _require_text(text, primed_with)
    window = max(4096, len(primed_with) + len(text))
    longer = _lzma_length(primed_with + text, window)
    return 8 * (longer - _lzma_length(primed_with, window)) / len(text)


def model_bits_per_byte(
    model: nn.Module, text: bytes, stride: int | None = None, batch_size: int = 32
) -> float:
    """Return how many bits a byte would take, coded with the model's predictions.

    An arithmetic coder would reach this length but for a few bytes (Shannon 1948); none is run.
    Windows overlap, so that every byte but the first few is predicted with at least
    ``max_seq_len - stride`` bytes before it in sight; each is counted once, and the very first,
    which nothing predicts, costs 8 bits.

    Args:
        model: a model over bytes.
        text: what to code.
        stride: from window to window; left out, half a window.
        batch_size: windows at a time.
    """
    _require_text(text)
    require_whole(1, batch_size=batch_size)
    inputs, targets = windows_scored_once(byte_ids(text), model.config.max_seq_len, stride)
    nats, device = 0.0, device_of(model)
    batches = zip(inputs.split(batch_size), targets.split(batch_size), strict=True)
    with looking(model):
        for some_inputs, some_targets in batches:
            some_targets = some_targets.to(device)
            mean = cross_entropy(model(some_inputs.to(device)), some_targets)
            nats += mean.item() * int((some_targets != IGNORE).sum())
    return (8 + nats / math.log(2)) / len(text)


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


def _lzma_length(text: bytes, window: int) -> int:
    """Compress without a file header and count."""
    preset = 9 | lzma.PRESET_EXTREME
    filters = [{"id": lzma.FILTER_LZMA2, "preset": preset, "dict_size": window}]
    return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=filters))


def _require_text(text: object, primed_with: object = b"") -> None:
    """Raise unless both are bytes and there is something to code."""
    for name, given in (("text", text), ("primed_with", primed_with)):
        if not isinstance(given, bytes):
            raise TypeError(f"{name} must be bytes, got {type(given).__name__}")
    if not text:
        raise ValueError("text must not be empty, got 0 bytes")
