"""The mismatch: what a masked model makes of texts without any mask, as in fine-tuning (lesson 41).

Each text is six random letters said twice, so a hidden letter stands open at its other place.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from course_lib.config import GPTConfig, require_whole
from course_lib.data.masking import Masking, mask_tokens
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.losses import cross_entropy
from course_lib.mechanisms.norms import LayerNorm

N_LETTERS, HALF = 16, 6
MASK_ID = N_LETTERS
RATE = 0.15


@dataclass(frozen=True)
class Answers:
    """Mean probabilities of the right letter, where the trained model reads three things.

    Attributes:
        hidden: ``[MASK]``, as in training.
        in_place: the right letter itself, in a text without any mask.
        corrupted: a wrong letter that was put there, in a text without any mask.
    """

    hidden: float
    in_place: float
    corrupted: float


class TwoSided(nn.Module):
    """A small encoder without a mask on attention."""

    def __init__(self, d_model: int = 32, n_layers: int = 2):
        super().__init__()
        self.tokens = nn.Embedding(N_LETTERS + 1, d_model)
        self.positions = nn.Embedding(2 * HALF, d_model)
        config = GPTConfig(1, 1, d_model, n_layers, 4)
        self.blocks = nn.ModuleList(PreNormBlock(config) for _ in range(n_layers))
        self.norm, self.head = LayerNorm(d_model), nn.Linear(d_model, N_LETTERS)

    def forward(self, token_ids: Int64[Tensor, "batch seq"]) -> Float[Tensor, "batch seq letter"]:
        """Score every letter at every position."""
        x = self.tokens(token_ids) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def said_twice(n_texts: int, generator: torch.Generator) -> Int64[Tensor, "text seq"]:
    """Draw texts: six letters, and the same six again."""
    letters = torch.randint(N_LETTERS, (n_texts, HALF), generator=generator)
    return letters.repeat(1, 2)


def trained(as_mask: float, as_random: float, seed: int, n_steps: int = 200) -> Answers:
    """Train a model with one split of the selected letters, and ask it afterwards.

    Args:
        as_mask, as_random: as for ``data.masking.Masking``; the rest is kept.
    """
    require_whole(0, seed=seed)
    require_whole(1, n_steps=n_steps)
    masking = Masking(MASK_ID, N_LETTERS + 1, (), RATE, as_mask, as_random)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = TwoSided()
    adam = torch.optim.Adam(model.parameters(), lr=5e-3)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(n_steps):
        masked = mask_tokens(said_twice(32, generator), masking, generator)
        loss = cross_entropy(model(masked.token_ids), masked.targets)
        adam.zero_grad()
        loss.backward()
        adam.step()
    return asked(model, generator)


@torch.no_grad()
def asked(model: nn.Module, generator: torch.Generator, n_texts: int = 500) -> Answers:
    """Put one place of each new text in three states, and read the right letter's probability."""
    texts, rows = said_twice(n_texts, generator), torch.arange(n_texts)
    places = torch.randint(2 * HALF, (n_texts,), generator=generator)
    right = texts[rows, places]
    other = torch.randint(1, N_LETTERS, (n_texts,), generator=generator)

    def probability(put: Int64[Tensor, " text"]) -> float:
        shown = texts.clone()
        shown[rows, places] = put
        probs = model(shown)[rows, places].softmax(dim=-1)
        return probs[rows, right].mean().item()

    hidden, false = torch.full_like(right, MASK_ID), (right + other) % N_LETTERS
    return Answers(probability(hidden), probability(right), probability(false))
