"""Three ways to give a position a vector, and how similar two positions then are (lesson 24)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.positions import LearnedPositions, sinusoidal_positions
from course_lib.mechanisms.rotary import Rotary

KINDS = ("sinusoidal", "learned", "rotary")
N_POSITIONS, WIDTH = 64, 32


@dataclass(frozen=True)
class Encodings:
    """The vectors of all positions, and the similarity of each two of them.

    Units:
        ``similarity`` is 1 where a position meets itself, on average over the positions.
    """

    kind: str
    position: int
    base: float
    vectors: Float[Tensor, "position width"]
    similarity: Float[Tensor, "position position"]


def encodings(kind: str, position: int, base: float = 10_000.0, seed: int = 0) -> Encodings:
    """Encode ``N_POSITIONS`` positions in ``WIDTH`` numbers each.

    "sinusoidal" is the table of sines and cosines.  "learned" is a table as it is drawn before
    any training; ``base`` has no part in it.  "rotary" takes one random vector, say a word's
    query, and turns it to every position.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    require_whole(0, position=position)
    if position >= N_POSITIONS:
        raise ValueError(f"position must be below {N_POSITIONS}, got {position}")
    vectors = _vectors(kind, base, seed)
    products = vectors @ vectors.T
    return Encodings(kind, position, base, vectors, products / products.diagonal().mean())


def _vectors(kind: str, base: float, seed: int) -> Float[Tensor, "position width"]:
    """One row for each position."""
    if kind == "sinusoidal":
        return sinusoidal_positions(N_POSITIONS, WIDTH, base, dtype=torch.float64)
    if kind == "learned":
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            table = LearnedPositions(N_POSITIONS, WIDTH).weight.detach().double()
        return table * 0.5**0.5  # entries as large as those of sines and cosines
    generator = torch.Generator().manual_seed(seed)
    word = torch.randn(WIDTH, generator=generator, dtype=torch.float64) * 0.5**0.5
    return Rotary(base)(word.expand(N_POSITIONS, -1), torch.arange(N_POSITIONS))
