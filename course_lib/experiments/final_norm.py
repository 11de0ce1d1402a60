"""What a Pre-LN stack's last layer norm does to the logits, at every depth (lesson 31)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.fresh_stack import fresh_layers
from course_lib.experiments.starts import equivalent_std
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import layer_norm

DEPTHS = (3, 6, 12, 24, 48)
D_MODEL = 256
VOCAB_SIZE = 500
SEQ_LEN = 32
STD = equivalent_std(D_MODEL)  # d_model * std^2 as in the published models of width 768


@dataclass(frozen=True)
class FinalNorm:
    """Logits of fresh stacks of several depths, read with and without the final norm.

    ``spread`` is the standard deviation of the stream's features, ``with_norm`` and ``without``
    that of the logits over the vocabulary; each is the mean over all positions.
    """

    depths: tuple[int, ...]
    scaled: bool
    spread: Float[Tensor, " depth"]
    with_norm: Float[Tensor, " depth"]
    without: Float[Tensor, " depth"]


@torch.no_grad()
def final_norm(
    depths: Sequence[int] = DEPTHS, *, scaled: bool = False, seed: int = 0
) -> FinalNorm:
    """Send random tokens through fresh Pre-LN blocks and read logits after each depth.

    Args:
        depths: numbers of blocks, rising.
        scaled: False draws every matrix with the same std; True makes the two matrices of a
            block that write to the stream smaller by sqrt(2L) (lesson 34).

    Cost:
        One block's weights at a time.  Unscaled, the depths share one pass; scaled, every depth
        has weights of its own.
    """
    require_whole(1, **{f"depths[{i}]": depth for i, depth in enumerate(depths)})
    if list(depths) != sorted(set(depths)):
        raise ValueError(f"depths must rise, got {tuple(depths)}")
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, SEQ_LEN, D_MODEL, generator=generator) * STD * math.sqrt(2)  # two tables
    head = torch.randn(VOCAB_SIZE, D_MODEL, generator=generator) * STD
    if scaled:
        streams = [_stack(x, depth, "scaled", generator)[-1] for depth in depths]
    else:
        after = _stack(x, depths[-1], "normal", generator)
        streams = [after[depth - 1] for depth in depths]
    rows = [_read(stream, head) for stream in streams]
    return FinalNorm(tuple(depths), scaled, *torch.tensor(rows).T)


def _stack(x: Tensor, n_layers: int, start: str, generator: torch.Generator) -> list[Tensor]:
    """The stream after each of so many fresh blocks."""
    visible = causal_mask(SEQ_LEN)
    return [layer.after for layer in fresh_layers(x, n_layers, start, generator, visible=visible)]


def _read(x: Tensor, head: Tensor) -> tuple[float, float, float]:
    """Spread of the stream, of the logits with the norm, and of those without."""
    spread = x.std(dim=-1, correction=0).mean()
    logits = [(read @ head.T).std(dim=-1).mean() for read in (layer_norm(x), x)]
    return spread.item(), logits[0].item(), logits[1].item()
