"""The rivals of a GPT on any text: how many bits a byte of the held-out part takes each of them."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.data.training_text import BYTES, TrainingText
from course_lib.data.whole_texts import WholeTexts
from course_lib.data.windows import windows_scored_once
from course_lib.experiments.compression import (
    frequency_bits_per_byte,
    gzip_bits_per_byte,
    xz_bits_per_byte,
)
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.objectives import mean_loss

MOST_READ = 2_000_000  # bytes of the training text that a compressor may read: some seconds
_SHORTEST = 100  # bytes; a story is longer


@dataclass(frozen=True)
class HeldOut:
    """A piece of the held-out part, for everybody the same.

    Attributes:
        ids: as a model reads it; short texts stand in rows.
        as_bytes: as a compressor reads it; behind each short text stands a line end.
    """

    ids: Tensor | WholeTexts
    as_bytes: bytes


def held_out_piece(text: TrainingText, n_tokens: int = 40_000) -> HeldOut:
    """Take the first tokens of the held-out part, short texts whole."""
    require_whole(2, n_tokens=n_tokens)
    if isinstance(text.validation, WholeTexts):
        scored = (text.validation.targets != IGNORE).sum(dim=-1).cumsum(dim=-1)
        n_texts = max(1, int((scored <= n_tokens).sum()))
        rows = WholeTexts(*text.validation.rows(torch.arange(n_texts)))
        return HeldOut(rows, _as_bytes(text, rows))
    ids = text.validation[:n_tokens]
    return HeldOut(ids, _as_bytes(text, ids))


def rival_bits(text: TrainingText, held_out: HeldOut) -> dict[str, float | None]:
    """Let three rivals code the piece; each may first read the end of the training text.

    Returns:
        bits per byte of each, and last "your GPT", which is not known yet.
    """
    before = _as_bytes(text, _end_of(text))[-MOST_READ:]
    return {
        "byte frequencies": frequency_bits_per_byte(held_out.as_bytes, before),
        "gzip": gzip_bits_per_byte(held_out.as_bytes, before),
        "xz": xz_bits_per_byte(held_out.as_bytes, before),
        "your GPT": None,
    }


def gpt_bits(model: nn.Module, held_out: HeldOut, batch_size: int = 50) -> float:
    """Return how many bits a byte of the piece would take, coded with a model's predictions.

    In one long text windows overlap: each token but the first few is predicted with at least
    half a window before it in sight, and counted once.  The very first, which nothing predicts,
    is left out.
    """
    if isinstance(held_out.ids, WholeTexts):
        inputs, targets = held_out.ids.inputs, held_out.ids.targets
    else:
        inputs, targets = windows_scored_once(held_out.ids, model.config.max_seq_len)
    nats = mean_loss(model, inputs, targets, batch_size) * int((targets != IGNORE).sum())
    return nats / math.log(2) / len(held_out.as_bytes)


def floor_bits(text: TrainingText, held_out: HeldOut) -> float | None:
    """Return the floor in bits per byte; None where nobody knows it."""
    if text.floor is None:
        return None
    assert isinstance(held_out.ids, WholeTexts)
    return text.floor * held_out.ids.n_scored / math.log(2) / len(held_out.as_bytes)


def _end_of(text: TrainingText) -> Tensor | WholeTexts:
    """The last part of the training text, at least ``MOST_READ`` bytes if it has as many."""
    if not isinstance(text.train, WholeTexts):
        return text.train[-MOST_READ:]
    n_texts = min(len(text.train), 1 + MOST_READ // _SHORTEST)
    last = torch.arange(len(text.train) - n_texts, len(text.train))
    return WholeTexts(*text.train.rows(last))


def _as_bytes(text: TrainingText, ids: Tensor | WholeTexts) -> bytes:
    """What ids stand for; a line end behind each short text."""
    if not isinstance(ids, WholeTexts):
        return bytes(ids.tolist()) if text.kind == BYTES else text.decode(ids).encode("utf8")
    pairs = zip(ids.targets, (ids.targets != IGNORE).sum(dim=-1).tolist(), strict=True)
    return "".join(text.decode(row[: n - 1].tolist()) + "\n" for row, n in pairs).encode("utf8")
