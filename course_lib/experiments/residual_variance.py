"""How the variance of the residual stream grows in a deep Pre-LN stack of the published width."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.fresh_stack import Layer, fresh_blocks, fresh_layers
from course_lib.experiments.gelu_forms import normal_density
from course_lib.experiments.gradient_flow import PRE, apart
from course_lib.experiments.starts import PUBLISHED_WIDTH, require_start
from course_lib.mechanisms.activations import gelu_tanh
from course_lib.mechanisms.masks import causal_mask


@dataclass(frozen=True)
class LayerVariance:
    """Mean squares of the stream and of what one block added to it.

    Args:
        step: which block, from 1.
        before: the stream as it enters the block.
        attention: what attention added.
        feed_forward: what the feed-forward layer added.
        after: the stream as it leaves the block.
        likeness: mean cosine between two tokens of a text as they enter.
    """

    step: int
    before: float
    attention: float
    feed_forward: float
    after: float
    likeness: float


def residual_variance(
    start: str, n_layers: int, *, width: int = PUBLISHED_WIDTH, causal: bool = False, seed: int = 0
) -> Iterator[LayerVariance]:
    """Send random vectors up a Pre-LN stack whose weights are never there all at once.

    One block is drawn anew for every layer; the stream alone is kept.  Texts of 32 positions.

    Cost:
        12 * width^2 numbers of memory, whatever the depth.
    """
    require_start(start)
    require_whole(1, n_layers=n_layers, width=width)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 32, width, generator=generator)
    visible = causal_mask(x.shape[1]) if causal else None
    return _measure(fresh_layers(x, n_layers, start, generator, visible=visible))


def _measure(layers: Iterator[Layer]) -> Iterator[LayerVariance]:
    """The numbers of each layer; apart, so that bad input is named at the call."""
    for layer in layers:
        parts = (layer.before, layer.attention, layer.feed_forward, layer.after)
        yield LayerVariance(layer.step, *map(mean_square, parts), 1 - apart(layer.before).item())


def contributions(
    start: str, n_layers: int, *, width: int = 64, seed: int = 0
) -> tuple[list[Float[Tensor, "batch seq d_model"]], Float[Tensor, "batch seq d_model"]]:
    """Return the input and all that was added to it, in order, and what a Pre-LN stack returns."""
    require_whole(1, n_layers=n_layers, width=width)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 16, width, generator=generator)
    parts, same_numbers = [x], generator.clone_state()
    for layer in fresh_layers(x, n_layers, start, generator):
        parts += [layer.attention, layer.feed_forward]
    with torch.no_grad():
        for block in fresh_blocks(PRE, width, n_layers, start, same_numbers):
            x = block(x)
    return parts, x


def feed_forward_variance(width: int, widen_std: float, narrow_std: float) -> float:
    r"""Return the variance that a feed-forward layer of width 4d adds, from its spreads alone.

    .. math:: 4 d \, \sigma_2^2 \, \mathbb{E}[\operatorname{GELU}(z)^2], \qquad
              z \sim N(0, d \, \sigma_1^2)

    It reads normalised vectors, so nothing else enters; the expectation is a sum over a grid.
    """
    require_whole(1, width=width)
    require_number(widen_std=widen_std, narrow_std=narrow_std)
    unit = torch.linspace(-8, 8, 4001, dtype=torch.float64)
    bent = gelu_tanh(unit * widen_std * math.sqrt(width)).square()
    expected = (bent * normal_density(unit)).sum() * (unit[1] - unit[0])
    return (4 * width * narrow_std**2 * expected).item()


def attention_variance(
    width: int, value_std: float, writer_std: float, n_positions: int, likeness: float = 0.0
) -> float:
    r"""Return the variance that causal attention adds at the start, from its spreads alone.

    .. math:: d \, \sigma^2 \cdot \bigl(H + (1 - H)\, c\bigr) \cdot d \, \sigma_{out}^2,
              \qquad H = \frac1T \sum_{k=1}^{T} \frac1k

    It reads normalised vectors, and fresh scores are so small that a position averages all k
    values it sees.  An average of k unlike values has variance 1/k; values of tokens whose
    cosine is c keep c of theirs.

    Args:
        likeness: the mean cosine between two tokens of a text.
    """
    require_whole(1, width=width, n_positions=n_positions)
    require_number(value_std=value_std, writer_std=writer_std, likeness=likeness)
    unlike = sum(1 / k for k in range(1, n_positions + 1)) / n_positions
    kept = unlike + (1 - unlike) * likeness
    return (width * value_std**2) * kept * (width * writer_std**2)


def mean_square(x: Float[Tensor, "batch seq d_model"]) -> float:
    """The mean square of all entries: the variance, since the mean is near 0."""
    return x.square().mean().item()
