"""What number stands for "hidden"?  Fill values, number formats, rows with nothing to read.

The masking here is written with PyTorch alone, as it is found in print.  The course's own
(``mechanisms.masks``) refuses what goes wrong below.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.require import require_tensor

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FILLS = ("-inf", "-1e9", "-1e4", "lowest")
SCORES = (0.3, -1.2, 2.0, 0.5)
HIDDEN = 2  # the key that a mask hides in the row that is not empty: the one with the best score


@dataclass(frozen=True)
class Filled:
    """What one way to mask makes of a row with one hidden key, and of a row with nothing else."""

    way: str
    fill: str
    dtype: str
    one_hidden: str
    all_hidden: str


def fill_value(fill: str, dtype: torch.dtype) -> float:
    """Turn a name of ``FILLS`` into the number; "lowest" is the most negative finite one."""
    return torch.finfo(dtype).min if fill == "lowest" else float(fill)


def masked_scores(
    scores: Float[Tensor, "*batch key"], visible: Bool[Tensor, "*#batch key"], way: str, fill: float
) -> Float[Tensor, "*batch key"]:
    """Mask scores as printed code does: put the fill in their place, or add it to them.

    "add M" adds a matrix of 0 and the fill; "add" makes that matrix by the product that is often
    printed, ``(1 - mask) * fill``; "add twice" does so for two masks, here the same one twice.
    """
    if way == "replace":
        return scores.masked_fill(~visible, fill)
    if way == "add M":
        return scores + torch.zeros_like(scores).masked_fill(~visible, fill)
    if way == "add":
        return scores + (1 - visible.to(scores.dtype)) * fill
    if way == "add twice":
        return masked_scores(masked_scores(scores, visible, "add", fill), visible, "add", fill)
    raise ValueError(f"way must be replace, add M, add or add twice, got {way!r}")


def fill_table() -> list[Filled]:
    """Try every way with every number format, and the fills that are printed with it."""
    tries = [
        *(("replace", fill) for fill in FILLS),
        ("add M", "-inf"),
        *(("add", fill) for fill in FILLS),
        ("add twice", "lowest"),
    ]
    return [
        Filled(way, fill, dtype, *(_outcome(way, fill, dtype, hidden) for hidden in ("one", "all")))
        for way, fill in tries
        for dtype in DTYPES
    ]


def _outcome(way: str, fill: str, dtype: str, hidden: str) -> str:
    """Name in a word or two what happens to one row."""
    scores = torch.tensor(SCORES, dtype=DTYPES[dtype])
    visible = torch.zeros(len(SCORES), dtype=torch.bool)
    if hidden == "one":
        visible = torch.arange(len(SCORES)) != HIDDEN
    try:
        masked = masked_scores(scores, visible, way, fill_value(fill, DTYPES[dtype]))
    except RuntimeError:
        return "error"
    shares = torch.softmax(masked, dim=-1)
    return _in_words(shares, scores, visible)


def _in_words(shares: Tensor, scores: Tensor, visible: Tensor) -> str:
    """Compare a row of shares with what it could be."""
    if shares.isnan().any():
        return "NaN"
    if visible.any():
        return "hidden" if (shares[~visible] == 0).all() else "not hidden"
    if torch.equal(shares, torch.full_like(shares, 1 / len(shares))):
        return "equal shares"
    unmasked = torch.softmax(scores, dim=-1)
    close = torch.allclose(shares, unmasked, rtol=0, atol=2e-3)
    return "as unmasked" if close else "other shares"


def printed_attention(
    x: Float[Tensor, "seq d"], visible: Bool[Tensor, "seq seq"], fill: float
) -> Float[Tensor, "seq d"]:
    """Attention of a text to itself as it is found in print, with ``masked_fill`` and no check."""
    scores = x @ x.T / math.sqrt(x.shape[-1])
    return torch.softmax(scores.masked_fill(~visible, fill), dim=-1) @ x


def nan_rows(
    visible: Bool[Tensor, "seq seq"], fill: float, n_layers: int, seed: int = 0
) -> Bool[Tensor, "layer seq"]:
    """Tell at which positions a stack of printed attentions holds NaN, after each layer."""
    require_whole(1, n_layers=n_layers)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(len(visible), 8, generator=generator)
    seen = []
    for _ in range(n_layers):
        x = x + printed_attention(x, visible, fill)
        seen.append(x.isnan().any(dim=-1))
    return torch.stack(seen)


def gradient_of_scored(
    visible: Bool[Tensor, "seq seq"], fill: float, scored: Bool[Tensor, " seq"], seed: int = 0
) -> Float[Tensor, "seq d"]:
    """Return the gradient at the input of one printed attention when some outputs are scored."""
    require_tensor(scored=scored)
    if scored.dtype != torch.bool or not scored.any():
        raise ValueError(f"scored must be bool and mark some position, got {scored}")
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(len(visible), 8, generator=generator).requires_grad_()
    loss = printed_attention(x, visible, fill)[scored].square().mean()
    (gradient,) = torch.autograd.grad(loss, x)
    return gradient


def empty_row_against_mean(fill: float, seed: int = 0) -> float:
    """Measure how far the output of a row with nothing to read is from the mean of all inputs."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(8, 4, generator=generator)
    visible = torch.ones(8, 8, dtype=torch.bool).tril(-1)  # the first row is empty
    return (printed_attention(x, visible, fill)[0] - x.mean(dim=0)).abs().max().item()
