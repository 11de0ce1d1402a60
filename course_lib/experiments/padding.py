"""Padding: what it does to the real tokens of a BERT and of a GPT, masked and not (lesson 22)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.config import BertConfig, GPTConfig, require_whole
from course_lib.experiments.looking_ahead import logits_under
from course_lib.mechanisms.masks import causal_mask, combine, padding_mask
from course_lib.models.bert import Bert
from course_lib.models.gpt import GPT

VOCAB_SIZE, MAX_SEQ_LEN = 30, 16
PAD_ID = 0  # nothing in the model knows that this id is padding; only the mask says so
HANDLINGS = ("nothing", "mask", "mask and positions")


@dataclass(frozen=True)
class PaddingChange:
    """By how much padding changes the outputs at the real tokens of one model."""

    model: str
    side: str
    handling: str
    change: float


def small_model(kind: str, seed: int = 0, positions: str = "learned") -> Bert | GPT:
    """Make a "BERT" or "GPT" of two blocks with random weights, in float64.

    Raises:
        ValueError: for another kind, or positions that a GPT does not know or a BERT does not have.
    """
    if kind not in ("BERT", "GPT"):
        raise ValueError(f"kind must be BERT or GPT, got {kind!r}")
    sizes = {"d_model": 16, "n_layers": 2, "n_heads": 2, "init_std": 0.25}
    if kind == "BERT" and positions != "learned":
        raise ValueError(f"positions of a BERT are learned, got {positions!r}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if kind == "BERT":
            model = Bert(BertConfig(VOCAB_SIZE, MAX_SEQ_LEN, **sizes))
        else:
            model = GPT(GPTConfig(VOCAB_SIZE, MAX_SEQ_LEN, **sizes, positions=positions))
    return model.double().eval().requires_grad_(False)


def pad(
    token_ids: Int[Tensor, "batch seq"], n_padding: int, side: str
) -> tuple[Int[Tensor, "batch longer"], Bool[Tensor, "batch longer"]]:
    """Add padding on one side; return the longer texts, and True at their real tokens."""
    require_whole(0, n_padding=n_padding)
    if side not in ("left", "right"):
        raise ValueError(f"side must be left or right, got {side!r}")
    padding = torch.full((len(token_ids), n_padding), PAD_ID)
    real = torch.ones_like(token_ids, dtype=torch.bool)
    ids, marks = [token_ids, padding], [real, torch.zeros_like(padding, dtype=torch.bool)]
    if side == "left":
        ids, marks = ids[::-1], marks[::-1]
    return torch.cat(ids, dim=1), torch.cat(marks, dim=1)


def padding_change(
    kind: str,
    side: str,
    handling: str,
    n_padding: int = 3,
    seed: int = 0,
    positions: str = "learned",
) -> float:
    """Measure the largest change that padding makes to the outputs at the real tokens.

    Args:
        kind: "BERT" or "GPT".
        side: where the padding stands.
        handling: one of HANDLINGS: what is done about it.  "mask" hides the padding and leaves
            the positions alone; "mask and positions" is what the models do when they are told
            which tokens are real.
        positions: how order gets into a GPT, as in ``GPTConfig``.
    """
    if handling not in HANDLINGS:
        raise ValueError(f"handling must be one of {HANDLINGS}, got {handling!r}")
    model = small_model(kind, seed, positions)
    generator = torch.Generator().manual_seed(seed)
    token_ids = torch.randint(1, VOCAB_SIZE, (1, 6), generator=generator)
    longer, real = pad(token_ids, n_padding, side)
    if handling == "mask":
        out = _masked_only(model, longer, real)
    else:
        out = model(longer, real if handling == "mask and positions" else None)
    return (out[real] - model(token_ids)[0]).abs().max().item()


def _masked_only(
    model: Bert | GPT, token_ids: Int[Tensor, "batch seq"], real: Bool[Tensor, "batch seq"]
) -> Float[Tensor, "batch seq out"]:
    """Run a model with the padding hidden, but with positions that count padding as well."""
    visible = padding_mask(real)
    if isinstance(model, GPT):
        return logits_under(model, token_ids, combine(causal_mask(real.shape[1]), visible))
    x = model.embedding(token_ids)
    for block in model.blocks:
        x = block(x, visible)
    return x


def padding_changes(n_padding: int = 3, seed: int = 0) -> list[PaddingChange]:
    """Try both models, both sides, and all that can be done about padding."""
    return [
        PaddingChange(kind, side, handling, padding_change(kind, side, handling, n_padding, seed))
        for kind in ("BERT", "GPT")
        for side in ("right", "left")
        for handling in HANDLINGS
    ]
