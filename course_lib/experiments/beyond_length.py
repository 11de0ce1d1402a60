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
MOST_STEPS, SOLVED = 140, 0.01  # training ends at whichever comes first, steps or loss
TASKS = ("three back", "first letter")


@dataclass(frozen=True)
class Learner:
    """A small GPT that has learned one task on short texts."""

    task: str
    positions: str
    seed: int
    steps: int
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
    task: str, positions: str, n_steps: int = MOST_STEPS, seed: int = 0, lr: float = 4e-3,
    n_blocks: int = 1,
) -> Learner:  # fmt: skip
    """Train a GPT of one block (or more) and one head on texts of ``TRAINED`` letters.

    It stops after ``n_steps``, or once a batch has a loss below ``SOLVED``.

    A table of learned positions has rows for ``TESTED`` positions, so that longer texts raise no
    error; no text of training uses the rows past ``TRAINED``, and weight decay alone touches them.
    """
    if positions not in POSITIONS:
        raise ValueError(f"positions must be one of {POSITIONS}, got {positions!r}")
    require_whole(1, n_steps=n_steps, n_blocks=n_blocks)
    require_number(lr=lr)
    torch.manual_seed(seed)
    width = {"d_model": 64, "d_ff": 64, "init_std": 1 / 8}
    sizes = {"n_layers": n_blocks, "n_heads": 1, **width}
    config = GPTConfig(N_LETTERS, TESTED, positions=positions, **sizes)
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
        if loss.item() < SOLVED:
            break
    return Learner(task, positions, seed, step + 1, loss.item(), model)


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
        Chen et al. 2023, section 2.3, for ``squeeze``.
    """
    generator = torch.Generator().manual_seed(1000 + learner.seed)
    letters, targets = task_texts(learner.task, generator, n_texts, TESTED)
    with squeezed(learner.model, squeeze):
        right = (learner.model(letters).argmax(dim=-1) == targets).float().mean(dim=0)
    return right.masked_fill((targets == IGNORE).all(dim=0), float("nan"))


@dataclass(frozen=True)
class Named:
    """Which letters are named where the answer is wrong, past the trained length.

    Units:
        shares of the wrong answers; a letter drawn blindly is any given one in 1 of 16.
    """

    by_place: Float[Tensor, " seq"]
    by_distance: Float[Tensor, " distance"]


@torch.no_grad()
def named_instead(learner: Learner, n_texts: int = 64, squeeze: float = 1.0) -> Named:
    """Compare the wrong answers past ``TRAINED`` with the letter at each place and distance.

    Where a distance reaches back past the start of the text, the answers there do not count.

    Raises:
        ValueError: if there is no wrong answer.
    """
    generator = torch.Generator().manual_seed(1000 + learner.seed)
    letters, targets = task_texts(learner.task, generator, n_texts, TESTED)
    with squeezed(learner.model, squeeze):
        answers = learner.model(letters).argmax(dim=-1)
    wrong = answers != targets
    wrong[:, :TRAINED] = False
    if not wrong.any():
        raise ValueError("learner must give some wrong answer past the trained length, got none")
    places, distances = [], []
    for n in range(TESTED):
        places.append((answers == letters[:, n, None])[wrong].float().mean())
        same = answers[:, n:] == letters[:, : TESTED - n]
        asked = wrong[:, n:]
        distances.append((same & asked).sum() / asked.sum().clamp(min=1))
    return Named(torch.stack(places), torch.stack(distances))


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


@torch.no_grad()
def scores_by_pair(learner: Learner, n_texts: int = 16) -> Float[Tensor, "pair distance"]:
    """Split :func:`scores_by_distance` of a rotary model into what each pair of entries adds.

    Raises:
        ValueError: if the model's positions are not rotary.
    """
    attn, ids = learner.model.blocks[0].attn, torch.arange(TESTED)
    if attn.rotary is None:
        raise ValueError(f"learner must have rotary positions, got {learner.positions!r}")
    generator = torch.Generator().manual_seed(2000 + learner.seed)
    letters, _ = task_texts(learner.task, generator, n_texts, TESTED)
    x = learner.model.blocks[0].norm_1(learner.model.embed(letters))
    # One head: nothing to split.
    q, k = (attn.rotary(turn(x), ids).unflatten(-1, (-1, 2)) for turn in (attn.q_proj, attn.k_proj))
    scale = n_texts * (2 * q.shape[-2]) ** 0.5
    parts = torch.einsum("tqpe,tkpe->pqk", q, k) / scale
    rows = [parts.diagonal(-distance, 1, 2).mean(dim=-1) for distance in range(TESTED)]
    return torch.stack(rows, dim=-1)


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
        Chen et al. 2023, section 2.3 (position interpolation).
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

    def at_once(
        self,
        x: Float[Tensor, "*batch seq head d_head"],
        position_ids: Int[Tensor, "*#batch seq"],
    ) -> Float[Tensor, "*batch seq head d_head"]:
        """Turn all heads of a position alike, as attention asks for it."""
        return self(x.transpose(-3, -2), position_ids.unsqueeze(-2)).transpose(-3, -2)
