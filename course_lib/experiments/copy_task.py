"""A task that nothing but attention solves: repeat a row of random letters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.config import GPTConfig, require_number, require_whole
from course_lib.mechanisms.losses import IGNORE, cross_entropy
from course_lib.models.gpt import GPT

N_LETTERS, LENGTH = 24, 12
Texts = tuple[Int[Tensor, "batch seq"], Int[Tensor, "batch seq"]]


@dataclass(frozen=True)
class CopyStep:
    """A model in the middle of learning: its loss on these texts, before the update."""

    step: int
    loss: float
    model: GPT
    token_ids: Int[Tensor, "batch seq"]


def copy_texts(
    generator: torch.Generator, batch: int = 32, length: int = LENGTH, n_letters: int = N_LETTERS
) -> Texts:
    """Draw ``length`` letters followed by the same letters; only the repetition is scored.

    Returns:
        ``2 * length - 1`` ids a text, and what comes next at each of them.
    """
    require_whole(1, batch=batch, length=length, n_letters=n_letters)
    letters = torch.randint(n_letters, (batch, length), generator=generator)
    text = torch.cat([letters, letters], dim=1)
    targets = text[:, 1:].clone()
    targets[:, : length - 1] = IGNORE
    return text[:, :-1], targets


def copier_config(**changes) -> GPTConfig:
    """The shape of a small GPT that learns the task within a minute; any part can be changed."""
    shape = {"d_model": 64, "n_layers": 2, "n_heads": 4}
    sizes = {"vocab_size": N_LETTERS, "max_seq_len": 2 * LENGTH, **shape}
    return GPTConfig(**{**sizes, "init_std": 64**-0.5, **changes})


def learn_to_copy(
    config: GPTConfig, n_steps: int, *, length: int = LENGTH, seed: int = 0, lr: float = 3e-3
) -> Iterator[CopyStep]:
    """Train a fresh model, and hand it out before each update and after the last one.

    The model is the same object all the time: who wants to keep it as it is takes a copy.

    Raises:
        TypeError, ValueError: if a number is none, or ``2 * length - 1`` exceeds the model's
            ``max_seq_len``.
    """
    require_whole(1, length=length)
    if 2 * length - 1 > config.max_seq_len:
        raise ValueError(
            f"length must be at most {(config.max_seq_len + 1) // 2} for "
            f"max_seq_len={config.max_seq_len}, got {length}"
        )

    def draw(generator: torch.Generator) -> Texts:
        return copy_texts(generator, length=length, n_letters=config.vocab_size)

    return train_on(draw, config, n_steps, seed=seed, lr=lr)


def train_on(
    draw: Callable[[torch.Generator], Texts],
    config: GPTConfig,
    n_steps: int,
    *,
    seed: int,
    lr: float,
) -> Iterator[CopyStep]:
    """Train a fresh model on texts and targets as they are drawn; else as `learn_to_copy`."""
    require_whole(0, n_steps=n_steps, seed=seed)
    require_number(lr=lr)
    return _steps(draw, config, n_steps, seed, lr)


def _steps(
    draw: Callable, config: GPTConfig, n_steps: int, seed: int, lr: float
) -> Iterator[CopyStep]:
    """The loop itself; apart, so that bad input is named at the call."""
    torch.manual_seed(seed)
    model = GPT(config)
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.98))
    generator = torch.Generator().manual_seed(seed)
    for step in range(n_steps + 1):
        token_ids, targets = draw(generator)
        loss = cross_entropy(model(token_ids), targets)
        yield CopyStep(step, loss.item(), model, token_ids)
        if step < n_steps:
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
