"""What a word on one side does, and whether that depends on a word on the other (lesson 62)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.config import BertConfig, require_whole
from course_lib.mechanisms.blocks import PostNormBlock
from course_lib.mechanisms.initialisation import initialise_bert
from course_lib.mechanisms.masks import causal_mask

BOTH, SIDE_BY_SIDE, ONE_WAY = READERS = ("both ways", "two one-way stacks", "left to right")


@dataclass(frozen=True)
class Sides:
    """How much the vector at a place moves, after each layer, when words around it change.

    Attributes:
        left, right: when the word on that side is another one.
        joint: how much the effect of the one depends on the other: 0 where each side acts on its
            own, and their effects only stand side by side.  With the vector called ``both`` after
            both changes, it is the size of ``both - left - right + neither``.

    Units:
        shares of the vector's own size.
    """

    left: Float[Tensor, " layer"]
    right: Float[Tensor, " layer"]
    joint: Float[Tensor, " layer"]


def sides(reader: str, n_layers: int = 3, seq_len: int = 7, seed: int = 0) -> Sides:
    """Change the first and the last of some random vectors, and look at the middle one.

    Args:
        reader: one of ``READERS``.  Two one-way stacks read from the left and from the right, and
            their vectors stand side by side, as in ELMo (Peters et al. 2018, section 3.1).
    """
    if reader not in READERS:
        raise ValueError(f"reader must be one of {READERS}, got {reader!r}")
    require_whole(1, n_layers=n_layers)
    require_whole(3, seq_len=seq_len)
    generator = torch.Generator().manual_seed(seed)
    stacks = {name: _blocks(n_layers, seed + i) for i, name in enumerate(("one", "other"))}
    x, other = torch.randn(2, seq_len, 32, generator=generator, dtype=torch.float64)
    texts = torch.stack([x, x, x, x])
    texts[[1, 3], 0] = other[0]
    texts[[2, 3], -1] = other[-1]
    forward = causal_mask(seq_len)
    if reader == SIDE_BY_SIDE:
        parts = [_layers(stacks["one"], texts, forward), _layers(stacks["other"], texts, forward.T)]
        layers = [torch.cat(pair, dim=-1) for pair in zip(*parts, strict=True)]
    else:
        layers = _layers(stacks["one"], texts, forward if reader == ONE_WAY else None)
    middle = torch.stack([layer[:, seq_len // 2] for layer in layers])  # [layer, text, feature]
    neither, left, right, both = middle.unbind(dim=1)
    size = neither.norm(dim=-1)
    return Sides(
        (left - neither).norm(dim=-1) / size,
        (right - neither).norm(dim=-1) / size,
        ((both - left) - (right - neither)).norm(dim=-1) / size,
    )


def _blocks(n_layers: int, seed: int) -> nn.ModuleList:
    """Blocks as BERT's, with weights wide enough for a width of 32; always the same ones."""
    config = BertConfig(vocab_size=2, max_seq_len=1, d_model=32, n_layers=n_layers, n_heads=4)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        blocks = nn.ModuleList(PostNormBlock(config) for _ in range(n_layers))
        initialise_bert(blocks, 0.2)
    return blocks.double().requires_grad_(False)


def _layers(
    blocks: nn.ModuleList, x: Float[Tensor, "text seq d"], visible: Bool[Tensor, "seq seq"] | None
) -> list[Float[Tensor, "text seq d"]]:
    """What each block gives to the next."""
    found = []
    for block in blocks:
        x = block(x, visible)
        found.append(x)
    return found
