"""Leaks: which objectives let a model read the answer, by what random tokens cost it (lesson 41).

The tokens are drawn independently, so nothing in a text tells of any other token.  A model that
does not see the answer cannot do better than ``log(N_TOKENS)``; whoever does, has seen it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from course_lib.config import GPTConfig, require_whole
from course_lib.data.masking import Masking, mask_tokens
from course_lib.experiments.race_step import RaceStep
from course_lib.mechanisms.attention import MultiHeadAttention
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.embeddings import TokenEmbedding
from course_lib.mechanisms.feed_forward import FeedForward
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import LayerNorm
from course_lib.mechanisms.positions import LearnedPositions

N_TOKENS, LENGTH, D_MODEL, N_HEADS = 32, 12, 64, 4
FLOOR = math.log(N_TOKENS)  # nats a token; nobody who does not see the answer gets below it
MASK_ID = N_TOKENS  # one entry more in the vocabulary
MASK_SHARE = 1.0  # of the selected tokens: all are hidden


@dataclass(frozen=True)
class Contestant:
    """One objective and what its model may see.

    Args:
        task: ``"next"``, ``"itself"`` or ``"hidden"``: which token is to be told at a position.
        sees: ``"everything"``, ``"the past"`` (itself included) or ``"all but itself"``.
        n_layers: of blocks, or of residual-free layers for "all but itself".
    """

    task: str
    sees: str
    n_layers: int = 2


CONTESTANTS = {
    "next token, both sides visible": Contestant("next", "everything"),
    "next token, only the past": Contestant("next", "the past"),
    "hidden tokens, both sides visible": Contestant("hidden", "everything"),
    "itself, own place hidden, 1 layer": Contestant("itself", "all but itself", 1),
    "itself, own place hidden, 2 layers": Contestant("itself", "all but itself", 2),
}


class Reader(nn.Module):
    """A small transformer for one contestant.

    "All but itself" cannot have a residual, which would carry the answer straight up, nor a
    query made from the token.  There each layer asks with the position alone, and reads what the
    layer below found at the *other* positions.
    """

    def __init__(self, contestant: Contestant):
        super().__init__()
        self.contestant = contestant
        self.tokens = TokenEmbedding(N_TOKENS + 1, D_MODEL)
        self.positions = LearnedPositions(LENGTH, D_MODEL)
        config = GPTConfig(1, 1, D_MODEL, contestant.n_layers, N_HEADS)
        make = OthersOnly if contestant.sees == "all but itself" else PreNormBlock
        self.layers = nn.ModuleList(make(config) for _ in range(contestant.n_layers))
        self.norm = LayerNorm(D_MODEL)
        self.head = nn.Linear(D_MODEL, N_TOKENS)

    def forward(self, token_ids: Int64[Tensor, "batch seq"]) -> Float[Tensor, "batch seq token"]:
        """Score the answer at every position."""
        places = self.positions(torch.arange(LENGTH)).expand(len(token_ids), -1, -1)
        x = self.tokens(token_ids) + places
        for layer in self.layers:
            x = layer(x, places) if isinstance(layer, OthersOnly) else layer(x, self.visible())
        return self.head(self.norm(x))

    def visible(self) -> Bool[Tensor, "seq seq"] | None:
        """The mask of this contestant's blocks."""
        return causal_mask(LENGTH) if self.contestant.sees == "the past" else None


class OthersOnly(nn.Module):
    """A layer without a residual: each position asks by its number, and never reads itself."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.norm = LayerNorm(config.d_model)
        self.attn = MultiHeadAttention(config.d_model, config.n_heads)
        self.ffn = FeedForward(config.d_model, config.d_ff)

    def forward(
        self, x: Float[Tensor, "batch seq d_model"], places: Float[Tensor, "batch seq d_model"]
    ) -> Float[Tensor, "batch seq d_model"]:
        """Read the other positions' ``x``."""
        others = ~torch.eye(x.shape[1], dtype=torch.bool)
        return self.ffn(self.attn(places, others, source=self.norm(x)))


def draw(
    task: str, batch: int, generator: torch.Generator
) -> tuple[Int64[Tensor, "batch seq"], Int64[Tensor, "batch seq"]]:
    """Draw random texts; return what a model reads, and what is to be told at each position."""
    return pose(task, torch.randint(N_TOKENS, (batch, LENGTH), generator=generator), generator)


def pose(
    task: str, text: Int64[Tensor, "batch seq"], generator: torch.Generator
) -> tuple[Int64[Tensor, "batch seq"], Int64[Tensor, "batch seq"]]:
    """Turn texts into what a model reads, and what is to be told at each position."""
    if task == "next":
        # What follows the last token stands nowhere in the text, so nobody is asked for it.
        return text, text.roll(-1, dims=1).index_fill(1, torch.tensor([LENGTH - 1]), IGNORE)
    if task == "itself":
        return text, text
    if task == "hidden":
        masking = Masking(MASK_ID, N_TOKENS + 1, as_mask=MASK_SHARE, as_random=0.0)
        masked = mask_tokens(text, masking, generator)
        return masked.token_ids, masked.targets
    raise ValueError(f"task must be next, itself or hidden, got {task!r}")


def race(n_steps: int = 100, *, batch: int = 64, seed: int = 0) -> Iterator[RaceStep]:
    """Train all contestants side by side; each step's texts are new, so its loss is a test."""
    require_whole(1, n_steps=n_steps, batch=batch)
    require_whole(0, seed=seed)
    return _steps(n_steps, batch, seed)


def _steps(n_steps: int, batch: int, seed: int) -> Iterator[RaceStep]:
    """The loop itself; apart, so that bad input is named at the call."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        readers = {name: Reader(contestant) for name, contestant in CONTESTANTS.items()}
    adams = {name: torch.optim.Adam(r.parameters(), lr=3e-3) for name, r in readers.items()}
    generator = torch.Generator().manual_seed(seed)
    for step in range(1, n_steps + 1):
        losses = {}
        for name, reader in readers.items():
            inputs, targets = draw(reader.contestant.task, batch, generator)
            loss = cross_entropy(reader(inputs), targets)
            adams[name].zero_grad()
            loss.backward()
            adams[name].step()
            losses[name] = loss.item()
        yield RaceStep(step, losses)


@torch.no_grad()
def answer_influence(contestant: Contestant, seed: int = 0) -> float:
    """How far a fresh reader's scores move when the token that is the answer is another one.

    Both texts go through the contestant's task with the same draws, and the scores are compared
    wherever the answers differ.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        reader = Reader(contestant)
    place, generator = LENGTH // 2, torch.Generator()
    text, _ = draw("itself", 32, generator.manual_seed(seed))
    other = text.clone()
    other[:, place] = (other[:, place] + 1) % N_TOKENS
    inputs, answers = pose(contestant.task, text, generator.manual_seed(seed))
    other_inputs, other_answers = pose(contestant.task, other, generator.manual_seed(seed))
    asked = answers != other_answers
    return (reader(other_inputs) - reader(inputs))[asked].abs().max().item()
