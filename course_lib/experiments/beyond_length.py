"""What a model does past the length it was trained on: two tasks, four kinds of positions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.config import POSITIONS, GPTConfig, require_number, require_whole
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.mechanisms.masks import causal_mask
from course_lib.mechanisms.positions import position_angles
from course_lib.mechanisms.rotary import Rotary
from course_lib.models.gpt import GPT
from course_lib.optim.clipping import clip_by_global_norm

N_LETTERS = 16
TRAINED, TESTED = 24, 96  # positions in training, and in the test
WARMUP = 20  # steps; without a rising rate one start in five stays stuck
TASKS = ("three back", "first letter")


@dataclass(frozen=True)
class Learner:
    """A small GPT that has learned one task on short texts."""

    task: str
    positions: str
    seed: int
    loss: float
    model: GPT


def task_texts(
    task: str, generator: torch.Generator, batch: int, length: int
) -> tuple[Int[Tensor, "batch seq"], Int[Tensor, "batch seq"]]:
    """Draw random letters, and for each position the letter it has to name.

    "three back" asks for the letter three positions earlier: one distance, everywhere.  "first
    letter" asks for the letter at position 0: a distance that grows with the text.
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {TASKS}, got {task!r}")
    require_whole(1, batch=batch)
    require_whole(4, length=length)
    letters = torch.randint(N_LETTERS, (batch, length), generator=generator)
    targets = torch.full_like(letters, IGNORE)
    if task == "three back":
        targets[:, 3:] = letters[:, :-3]
    else:
        targets[:, 1:] = letters[:, :1]
    return letters, targets


def learn(
    task: str, positions: str, n_steps: int = 140, seed: int = 0, lr: float = 4e-3
) -> Learner:
    """Train a GPT of one block and one head on texts of ``TRAINED`` letters.

    A table of learned positions has rows for ``TESTED`` positions, so that longer texts raise no
    error; the rows past ``TRAINED`` are never used in training and stay as they were drawn.
    """
    if positions not in POSITIONS:
        raise ValueError(f"positions must be one of {POSITIONS}, got {positions!r}")
    require_whole(1, n_steps=n_steps)
    require_number(lr=lr)
    torch.manual_seed(seed)
    width = {"d_model": 64, "d_ff": 64, "init_std": 1 / 8}
    config = GPTConfig(N_LETTERS, TESTED, n_layers=1, n_heads=1, positions=positions, **width)
    model = GPT(config)
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.98), fused=True)
    generator = torch.Generator().manual_seed(seed)
    for step in range(n_steps):
        for group in optimiser.param_groups:
            group["lr"] = lr * min(1, (step + 1) / WARMUP)
        letters, targets = task_texts(task, generator, batch=16, length=TRAINED)
        loss = cross_entropy(model(letters), targets)
        optimiser.zero_grad()
        loss.backward()
        clip_by_global_norm(model.parameters(), 1.0)
        optimiser.step()
    return Learner(task, positions, seed, loss.item(), model)


@torch.no_grad()
def accuracy_by_position(
    learner: Learner, n_texts: int = 64, squeeze: float = 1.0
) -> Float[Tensor, " seq"]:
    """Measure the share of right letters at each position of fresh, ``TESTED`` letters long texts.

    Args:
        learner: what has been trained.
        n_texts: how many texts.
        squeeze: positions are divided by this before rotary turns by them (1 leaves them alone).

    Returns:
        One share for each position; NaN where nothing is asked.

    Source:
        Chen et al. 2023 (position interpolation) for ``squeeze``.
    """
    generator = torch.Generator().manual_seed(1000 + learner.seed)
    letters, targets = task_texts(learner.task, generator, n_texts, TESTED)
    with squeezed(learner.model, squeeze):
        right = (learner.model(letters).argmax(dim=-1) == targets).float().mean(dim=0)
    return right.masked_fill((targets == IGNORE).all(dim=0), float("nan"))


@torch.no_grad()
def scores_by_distance(
    learner: Learner, n_texts: int = 16, squeeze: float = 1.0
) -> Float[Tensor, " distance"]:
    """Average the attention score of the one head over all pairs of positions a distance apart.

    Units:
        nats, as softmax reads them; only differences within a row count.
    """
    generator = torch.Generator().manual_seed(2000 + learner.seed)
    letters, _ = task_texts(learner.task, generator, n_texts, TESTED)
    block, ids = learner.model.blocks[0], torch.arange(TESTED)
    with squeezed(learner.model, squeeze):
        x = block.norm_1(learner.model.embed(letters))
        scores = block.attn.attend(x, causal_mask(TESTED), position_ids=ids).scores
    mean = scores.mean(dim=(0, 1))  # [query, key], -inf above the diagonal
    return torch.stack([mean.diagonal(-distance).mean() for distance in range(TESTED)])


@contextmanager
def squeezed(model: GPT, squeeze: float) -> Iterator[None]:
    """Divide the positions by which a rotary model turns; its weights stay as they are."""
    require_number(squeeze=squeeze)
    if squeeze <= 0:
        raise ValueError(f"squeeze must be > 0, got {squeeze}")
    attentions = [block.attn for block in model.blocks if block.attn.rotary is not None]
    if squeeze != 1 and not attentions:
        raise ValueError(f"only rotary positions can be squeezed, got {model.config.positions!r}")
    before = [attn.rotary for attn in attentions]
    try:
        if squeeze != 1:
            for attn in attentions:
                attn.rotary = SqueezedRotary(attn.rotary, squeeze)
        yield
    finally:
        for attn, rotary in zip(attentions, before, strict=True):
            attn.rotary = rotary


@dataclass(frozen=True)
class SqueezedRotary:
    """Rotary positions (adjacent pairs) at fractions of a position.

    Source:
        Chen et al. 2023, "position interpolation".
    """

    rotary: Rotary
    squeeze: float

    def __call__(
        self, x: Float[Tensor, "*batch seq d_head"], position_ids: Int[Tensor, "*#batch seq"]
    ) -> Float[Tensor, "*batch seq d_head"]:
        """Turn pair i of a row at position p by p / squeeze times its frequency."""
        angles = position_angles(position_ids, x.shape[-1], self.rotary.base) / self.squeeze
        turns = torch.polar(torch.ones_like(angles), angles)  # e^(i angle)
        pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2).to(x)
