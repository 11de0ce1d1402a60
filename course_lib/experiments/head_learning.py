"""How fast models with one head or several learn, and what a single head can do (lesson 23)."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.experiments.head_roles import N_TEXTS, attention_maps, reading_loss
from course_lib.experiments.six_or_nine import (
    FIRST_SCORED,
    N_LETTERS,
    PLACES,
    draw_texts,
    learn_to_read,
    reader_config,
)
from course_lib.mechanisms.losses import cross_entropy
from course_lib.models.gpt import GPT


@dataclass(frozen=True)
class Learning:
    """Models of one block on their way: the loss on new texts, in nats a letter.

    ``halfway`` holds the models of all seeds after half of the steps, ``models`` after all.
    """

    n_heads: int
    steps: list[int]
    losses: Float[Tensor, "seed step"]
    halfway: list[GPT]
    models: list[GPT]


def learn_with_heads(
    n_heads: int, n_steps: int = 200, every: int = 25, seeds: Sequence[int] = (0, 1, 2)
) -> Learning:
    """Train readers of one block, 64 wide whatever ``n_heads``, and measure them on the way."""
    require_whole(1, every=every)
    if n_steps < 2 or n_steps % (2 * every):
        raise ValueError(f"n_steps must be a multiple of 2 * every = {2 * every}, got {n_steps}")
    losses, halfway, models = [], [], []
    for seed in seeds:
        losses.append([])
        for state in learn_to_read(reader_config(n_heads, 1), n_steps, seed=seed):
            if state.step % every == 0:
                losses[-1].append(reading_loss(state.model))
            if state.step == n_steps // 2:
                halfway.append(copy.deepcopy(state.model))
        models.append(state.model)
    steps = list(range(0, n_steps + 1, every))
    return Learning(n_heads, steps, torch.tensor(losses), halfway, models)


def shares_of_places(model: GPT, seed: int = 1000) -> Float[Tensor, "head place"]:
    """Measure the first block's mean shares for the three places, over all scored positions."""
    token_ids, *_ = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    maps = attention_maps(model, token_ids)[0]
    shares = [  # the diagonal begins with the reader at position ``back``
        maps.diagonal(-back, dim1=-2, dim2=-1)[..., FIRST_SCORED - back :].mean(dim=(0, 2))
        for back in PLACES
    ]
    return torch.stack(shares, dim=-1)


def voting_loss(shares: Sequence[float], sharpness: float = 20.0, seed: int = 1000) -> float:
    """Predict by one average and a linear readout; return the loss in nats a letter.

    Every place in ``PLACES`` votes for the letter that it holds, with its share; the sums of the
    votes, times ``sharpness``, are the scores that softmax turns into probabilities.
    """
    if len(shares) != len(PLACES):
        raise ValueError(f"shares must be {len(PLACES)} numbers, one a place, got {len(shares)}")
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    readers = torch.arange(FIRST_SCORED, token_ids.shape[-1])
    letters = [token_ids[:, readers - back] for back in PLACES]
    votes = sum(
        share * torch.nn.functional.one_hot(letter, N_LETTERS).float()
        for share, letter in zip(shares, letters, strict=True)
    )
    return cross_entropy(sharpness * votes, targets[:, FIRST_SCORED:]).item()


@torch.no_grad()
def ensemble_loss(models: Sequence[GPT], seed: int = 1000) -> float:
    """Average the predictions of models that were trained apart; return the loss on new texts."""
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(seed), N_TEXTS)
    probs = torch.stack([model(token_ids).softmax(dim=-1) for model in models]).mean(dim=0)
    return cross_entropy(probs.log(), targets).item()
