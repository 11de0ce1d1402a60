"""Four ways to draw the weights of a stack of blocks before training."""

import math
from collections.abc import Iterable

import torch
from torch import nn

from course_lib.config import require_number, require_whole

STARTS = ("linear", "xavier", "normal", "scaled")
PUBLISHED_STD, PUBLISHED_WIDTH = 0.02, 768  # of BERT-base and the smallest GPT-2


def equivalent_std(width: int) -> float:
    """Return the standard deviation that keeps width * std^2 as it is at the published width."""
    require_whole(1, width=width)
    return PUBLISHED_STD * math.sqrt(PUBLISHED_WIDTH / width)


def draw_weights(
    blocks: Iterable[nn.Module],
    start: str,
    n_layers: int,
    generator: torch.Generator,
    gain: float = 1.0,
) -> None:
    """Draw every matrix of these blocks anew, in place; biases become 0.

    Args:
        blocks: blocks of the course, all of one width.
        start: ``linear`` is what ``nn.Linear`` draws by itself (variance 1 / (3 * inputs));
            ``xavier`` has variance 2 / (inputs + outputs); ``normal`` is N(0, 0.02^2) of width
            768, at other widths ``equivalent_std``; ``scaled`` is the same, with the two
            matrices that write to the stream divided by sqrt(2 * n_layers).
        n_layers: depth of the whole model, which may be drawn a block at a time.
        generator: where the random numbers come from.
        gain: every matrix is multiplied by this.

    Source:
        Glorot and Bengio 2010, equation 16, for ``xavier``; Radford et al. 2019, section 2.3,
        for ``scaled``.
    """
    require_start(start)
    require_whole(1, n_layers=n_layers)
    require_number(gain=gain)
    for block in blocks:
        for name, matrix in block.named_modules():
            if isinstance(matrix, nn.Linear):
                writes = name.endswith(("out_proj", "narrow"))
                std = _std(start, matrix, block.ffn.widen.in_features)
                if start == "scaled" and writes:
                    std /= math.sqrt(2 * n_layers)
                _draw(matrix, start, gain * std, generator)


def require_start(start: object) -> None:
    """Raise unless ``start`` is one of STARTS."""
    if start not in STARTS:
        raise ValueError(f"start must be one of {STARTS}, got {start!r}")


def _std(start: str, matrix: nn.Linear, width: int) -> float:
    """Standard deviation of the entries, before any scaling for depth."""
    if start == "linear":
        return 1 / math.sqrt(3 * matrix.in_features)
    if start == "xavier":
        return math.sqrt(2 / (matrix.in_features + matrix.out_features))
    return equivalent_std(width)


@torch.no_grad()
def _draw(matrix: nn.Linear, start: str, std: float, generator: torch.Generator) -> None:
    """Uniform numbers for the first two, normal ones for the others."""
    if start in ("linear", "xavier"):
        bound = math.sqrt(3) * std
        matrix.weight.uniform_(-bound, bound, generator=generator)
    else:
        matrix.weight.normal_(0, std, generator=generator)
    if matrix.bias is not None:
        matrix.bias.zero_()
