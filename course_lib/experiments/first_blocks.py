"""What attention and feed-forward add to the stream in the first blocks of a fresh GPT."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.fresh_stack import fresh_layers
from course_lib.experiments.gradient_flow import apart
from course_lib.experiments.starts import equivalent_std
from course_lib.mechanisms.masks import causal_mask


@dataclass(frozen=True)
class FirstBlocks:
    """Variance of what the sublayers add, block by block, in a stack with full-sized writers.

    ``likeness`` is the mean cosine between two positions of a text as they enter the block.
    """

    attention: Float[Tensor, " block"]
    feed_forward: Float[Tensor, " block"]
    likeness: Float[Tensor, " block"]


def first_blocks(
    n_layers: int = 6, *, width: int = 256, alike: bool = False, seed: int = 0
) -> FirstBlocks:
    """Send random embeddings through fresh Pre-LN blocks and keep what each sublayer adds.

    Args:
        alike: True puts one and the same embedding at all positions of a text.
    """
    require_whole(1, n_layers=n_layers, width=width)
    require_whole(0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(4, 32, width, generator=generator) * equivalent_std(width)
    x = x[:, :1].expand_as(x) if alike else x
    layers = fresh_layers(x, n_layers, "normal", generator, visible=causal_mask(x.shape[1]))
    rows = [
        torch.tensor([_variance(layer.attention), _variance(layer.feed_forward),
                      1 - apart(layer.before)])
        for layer in layers
    ]  # fmt: skip
    return FirstBlocks(*torch.stack(rows).T)


def _variance(x: Float[Tensor, "batch seq d_model"]) -> float:
    """Variance of the features of a position, the mean over all positions."""
    return x.var(dim=-1, correction=0).mean().item()
