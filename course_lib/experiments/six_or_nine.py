"""A task that asks for several places at once: six letters three times, or nine letters twice.

Which of the two a text of 18 letters is, the model has to find out.  Of the last six letters
each stood five places before its reader (counted to the one that predicts it) if the word has
six letters, and eleven places before; or else eight places before, if it has nine.
"""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.config import GPTConfig, require_whole
from course_lib.experiments.copy_task import CopyStep, Texts, train_on
from course_lib.mechanisms.losses import IGNORE

N_LETTERS, TEXT_LEN = 16, 18
SEQ_LEN = TEXT_LEN - 1  # the last letter is only predicted
LENGTHS = (6, 9)
# Who knows both places and flips a coin: ln 2, unless the two letters are the same by chance.
COIN_FLIP = (1 - 1 / N_LETTERS) * math.log(2)
FIRST_SCORED = 11  # from here on the last six letters are predicted
PLACES = (5, 8, 11)  # how far back of who predicts it the next letter may stand


def draw_texts(
    generator: torch.Generator, batch: int = 32
) -> tuple[Int[Tensor, "batch seq"], Int[Tensor, "batch seq"], Int[Tensor, " batch"]]:
    """Draw texts, what comes next at each position, and the length of each text's word.

    Only the last six letters are scored, those that every text can tell.
    """
    require_whole(1, batch=batch)
    lengths = torch.tensor(LENGTHS)[torch.randint(len(LENGTHS), (batch,), generator=generator)]
    letters = torch.randint(N_LETTERS, (batch, max(LENGTHS)), generator=generator)
    places = torch.arange(TEXT_LEN) % lengths[:, None]  # [batch, seq + 1]
    text = letters.gather(1, places)
    targets = text[:, 1:].clone()
    targets[:, :FIRST_SCORED] = IGNORE
    return text[:, :-1], targets, lengths


def reader_config(n_heads: int = 4, n_layers: int = 2) -> GPTConfig:
    """The shape of a small GPT for this task: 64 wide whatever the number of heads."""
    return GPTConfig(
        N_LETTERS, SEQ_LEN, 64, n_layers, n_heads, d_ff=64, init_std=64**-0.5
    )  # fmt: skip


def learn_to_read(
    config: GPTConfig, n_steps: int, *, seed: int = 0, lr: float = 5e-3
) -> Iterator[CopyStep]:
    """Train a fresh model on the task; see ``copy_task.learn_to_copy``."""

    def draw(generator: torch.Generator) -> Texts:
        return draw_texts(generator)[:2]

    return train_on(draw, config, n_steps, seed=seed, lr=lr)
