"""Shuffle the words of a sentence and see whether attention notices (lesson 24)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import POSITIONS, require_whole
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.positions import LearnedPositions, SinusoidalPositions
from course_lib.mechanisms.rotary import Rotary

WORDS = ("dogs", "chase", "cats", "every", "night")
D_MODEL = 16


@dataclass(frozen=True)
class Shuffled:
    """What attention gives to each word in two orders; both tables in the order of ``words``."""

    words: tuple[str, ...]
    order: tuple[int, ...]
    positions: str
    causal: bool
    before: Float[Tensor, "word d_model"]
    after: Float[Tensor, "word d_model"]

    @property
    def changes(self) -> Float[Tensor, " word"]:
        """How far each word's output moved, as a share of its length before."""
        return (self.after - self.before).norm(dim=-1) / self.before.norm(dim=-1)


def shuffled(
    order: Sequence[int] = (2, 1, 0, 3, 4),
    positions: str = "none",
    causal: bool = False,
    seed: int = 0,
) -> Shuffled:
    """Send ``WORDS`` through one fresh attention layer, in the order given and in another one.

    Args:
        order: the new sentence, as numbers of words: (2, 1, 0, 3, 4) swaps dogs and cats.
        positions: how order gets in, one of POSITIONS.
        causal: whether a word may read only those before it.
        seed: for the words' vectors and the weights.
    """
    order = tuple(order)
    if sorted(order) != list(range(len(WORDS))):
        raise ValueError(f"order must name each of 0 to {len(WORDS) - 1} once, got {order}")
    if positions not in POSITIONS:
        raise ValueError(f"positions must be one of {POSITIONS}, got {positions!r}")
    require_whole(0, seed=seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        vectors = torch.randn(len(WORDS), D_MODEL, dtype=torch.float64)
        layer = _layer(positions)
        added = _added(positions)
    visible = causal_mask(len(WORDS)) if causal else None
    with torch.no_grad():
        before = layer(vectors + added, visible)
        after = layer(vectors[list(order)] + added, visible)
    back = torch.tensor(order).argsort()
    return Shuffled(WORDS, order, positions, causal, before, after[back])


def _layer(positions: str) -> MultiHeadAttention:
    """Two heads whose weights spread the scores about as far as a trained model's."""
    rotary = Rotary() if positions == "rotary" else None
    layer = MultiHeadAttention(D_MODEL, n_heads=2, rotary=rotary).double()
    for projection in (layer.q_proj, layer.k_proj, layer.v_proj, layer.out_proj):
        nn.init.normal_(projection.weight, std=D_MODEL**-0.5)
    return layer


def _added(positions: str) -> Float[Tensor, "word d_model"] | float:
    """What is added to the words' vectors; 0 where nothing is."""
    if positions == "sinusoidal":
        return SinusoidalPositions(D_MODEL)(torch.arange(len(WORDS)))
    if positions == "learned":
        table = LearnedPositions(len(WORDS), D_MODEL).double()
        return table(torch.arange(len(WORDS))).detach()
    return 0.0
