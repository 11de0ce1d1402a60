"""How much is learnt from a text of which every place is graded, or one in seven (lesson 65).

The texts say six random letters twice, so the second half can be told from the first.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from course_lib.config import GPTConfig, require_number, require_whole
from course_lib.data.masking import Masking, mask_tokens
from course_lib.experiments.mismatch import HALF, MASK_ID, N_LETTERS, RATE, said_twice
from course_lib.experiments.race_step import RaceStep
from course_lib.mechanisms.blocks import PreNormBlock
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.norms import LayerNorm

GUESSING = math.log(N_LETTERS)  # nats a letter
EVERY = 5  # steps from one look to the next
LENGTH = 2 * HALF


@dataclass(frozen=True)
class Entrant:
    """How a model is graded.

    Args:
        causal: True asks for the next letter, with the future out of sight; False hides letters
            in the input, and asks for those.
        rate: share of the places that are asked for, drawn anew for each text.
    """

    causal: bool
    rate: float


ENTRANTS = {
    "next letter, all places graded": Entrant(True, 1.0),
    "next letter, 15% graded": Entrant(True, RATE),
    "hidden letters, 15%": Entrant(False, RATE),
}
ALL, FEW, HIDDEN = ENTRANTS


class Reader(nn.Module):
    """A small transformer, the same for all entrants but for the mask on attention."""

    def __init__(self, causal: bool, d_model: int = 32, n_layers: int = 2):
        super().__init__()
        self.visible = causal_mask(LENGTH) if causal else None
        self.tokens = nn.Embedding(N_LETTERS + 1, d_model)
        self.positions = nn.Embedding(LENGTH, d_model)
        config = GPTConfig(1, 1, d_model, n_layers, 4)
        self.blocks = nn.ModuleList(PreNormBlock(config) for _ in range(n_layers))
        self.norm, self.head = LayerNorm(d_model), nn.Linear(d_model, N_LETTERS)

    def forward(self, token_ids: Int64[Tensor, "batch seq"]) -> Float[Tensor, "batch seq letter"]:
        """Score every letter at every place."""
        return self.score(self.embed(token_ids))

    def embed(self, token_ids: Int64[Tensor, "batch seq"]) -> Float[Tensor, "batch seq d_model"]:
        """What the first block reads."""
        return self.tokens(token_ids) + self.positions.weight

    def score(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq letter"]:
        """Send vectors through the blocks, and score."""
        for block in self.blocks:
            x = block(x, self.visible)
        return self.head(self.norm(x))


def fresh_reader(causal: bool, seed: int) -> Reader:
    """Make a reader with random weights, without touching the random state."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Reader(causal)


def pose(
    entrant: Entrant, texts: Int64[Tensor, "text seq"], generator: torch.Generator
) -> tuple[Int64[Tensor, "text seq"], Int64[Tensor, "text seq"]]:
    """Turn texts into what an entrant reads, and what it is asked at each place."""
    if not entrant.causal:
        masking = Masking(MASK_ID, N_LETTERS + 1, (), entrant.rate, as_mask=1.0, as_random=0.0)
        masked = mask_tokens(texts, masking, generator)
        return masked.token_ids, masked.targets
    targets = next_letters(texts)
    asked = torch.rand(texts.shape, generator=generator) < entrant.rate
    return texts, targets.where(asked, torch.tensor(IGNORE))


def next_letters(texts: Int64[Tensor, "text seq"]) -> Int64[Tensor, "text seq"]:
    """The letter that follows each; nobody knows what follows the last."""
    return texts.roll(-1, dims=1).index_fill(1, torch.tensor([LENGTH - 1]), IGNORE)


def race(
    n_steps: int, names: Sequence[str] = tuple(ENTRANTS), *, batch: int = 32, seed: int = 0
) -> Iterator[RaceStep]:
    """Train entrants on the same texts; look now and then at letters that can be known.

    The losses are the surprise at such letters, in new texts: for whom asks for the next one,
    those of the second half; else one hidden letter a text.

    Args:
        names: which of ENTRANTS take part.
    """
    require_whole(1, n_steps=n_steps, batch=batch)
    require_whole(0, seed=seed)
    unknown = [name for name in names if name not in ENTRANTS]
    if unknown or not names:
        raise ValueError(f"names must be of {list(ENTRANTS)}, got {list(names)}")
    return _steps(n_steps, {name: ENTRANTS[name] for name in names}, batch, seed)


def _steps(
    n_steps: int, entrants: dict[str, Entrant], batch: int, seed: int
) -> Iterator[RaceStep]:
    """The loop itself; apart, so that bad input is named at the call."""
    readers = {name: fresh_reader(entrant.causal, seed) for name, entrant in entrants.items()}
    adams = {name: torch.optim.Adam(r.parameters(), lr=5e-3) for name, r in readers.items()}
    generator = torch.Generator().manual_seed(seed)
    test = said_twice(200, generator)
    places = torch.randint(LENGTH, (len(test),), generator=generator)
    for step in range(1, n_steps + 1):
        texts = said_twice(batch, generator)
        for name, entrant in entrants.items():
            inputs, targets = pose(entrant, texts, generator)
            if (targets == IGNORE).all():
                continue
            loss = cross_entropy(readers[name](inputs), targets)
            adams[name].zero_grad()
            loss.backward()
            adams[name].step()
        if step % EVERY == 0 or step == n_steps:
            yield RaceStep(step, {n: known_loss(r, test, places) for n, r in readers.items()})


@torch.no_grad()
def known_loss(
    reader: Reader, texts: Int64[Tensor, "text seq"], places: Int64[Tensor, " text"]
) -> float:
    """The surprise at letters that the rest of the text tells.

    Args:
        places: which letter of each text is hidden, for a reader of both sides.
    """
    if reader.visible is not None:
        targets = next_letters(texts)
        targets[:, : HALF - 1] = IGNORE
        return cross_entropy(reader(texts), targets).item()
    rows = torch.arange(len(texts))
    hidden, targets = texts.clone(), torch.full_like(texts, IGNORE)
    hidden[rows, places], targets[rows, places] = MASK_ID, texts[rows, places]
    return cross_entropy(reader(hidden), targets).item()


def steps_until(history: Sequence[RaceStep], name: str, level: float = GUESSING / 2) -> int:
    """Return the first look at which an entrant's surprise is below a level.

    Raises:
        ValueError: if it never is.
    """
    require_number(level=level)
    for record in history:
        if record.losses[name] < level:
            return record.step
    raise ValueError(f"{name!r} did not get below {level:g} within {history[-1].step} steps")


def unasked_reached(seed: int = 0, alone: bool = False) -> float:
    """Return the share of the words that nobody asks for, whose vector gets a gradient.

    Args:
        alone: True lets each place read itself alone.
    """
    require_whole(0, seed=seed)
    reader, generator = fresh_reader(False, seed), torch.Generator().manual_seed(seed)
    reader.visible = torch.eye(LENGTH, dtype=torch.bool) if alone else None
    texts = said_twice(32, generator)
    inputs, targets = pose(ENTRANTS[HIDDEN], texts, generator)
    x = reader.embed(inputs).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(cross_entropy(reader.score(x), targets), x)
    asked = targets != IGNORE
    # A text of which nothing is asked teaches nothing.
    unasked = ~asked & asked.any(dim=-1, keepdim=True)
    return (gradient.norm(dim=-1)[unasked] > 0).double().mean().item()
