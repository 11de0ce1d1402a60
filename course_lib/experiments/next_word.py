"""The next word of a story at a temperature and after a cut, and how it may go on (lesson 51)."""

from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.mechanisms.sampling import next_probabilities
from course_lib.models.shipped import Shipped, load
from course_lib.training.objectives import looking

BEGINNINGS = {  # what the menu says, and what the model reads
    "open: ... there was a": "one sunny day Leo was in the garden with Lucy . there was a",
    "sure: ... she dropped the bell": "one sunny day Leo was in the garden with Lucy . "
    "Lucy bought a blue bell . she dropped the bell",
    "lost: ... a blue bell in the": "one sunny day Leo was in the garden with Lucy . "
    "there was a blue bell in the",
}
OPEN, SURE, LOST = BEGINNINGS
CUTS = {
    "no cut": {},
    "top-k 1": {"top_k": 1}, "top-k 5": {"top_k": 5}, "top-k 10": {"top_k": 10},
    "top-p 0.5": {"top_p": 0.5}, "top-p 0.9": {"top_p": 0.9}, "top-p 0.98": {"top_p": 0.98},
}  # fmt: skip
TEMPERATURES = (0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0)
_SHOWN = 14  # words that the figure has room for


@dataclass(frozen=True)
class NextWord:
    """The likeliest next words, before and after a cut, and some ways to go on.

    Attributes:
        beginnings: the texts that there are to choose from; ``beginning`` is one of them.
        before: probabilities at this temperature, largest first.
        after: the same words after the cut.
        n_kept: how many words of the whole vocabulary are left.
        kept: their probability before the cut.
    """

    beginnings: tuple[str, ...]
    beginning: str
    temperature: float
    cut: str
    words: tuple[str, ...]
    before: Float[Tensor, " word"]
    after: Float[Tensor, " word"]
    n_kept: int
    kept: float
    continuations: tuple[str, ...]


def next_word(beginning: str, temperature: float, cut: str) -> NextWord:
    """Ask the shipped model for the next word, cut, and let it go on three times.

    Args:
        beginning: a key of ``BEGINNINGS``.
        cut: a key of ``CUTS``.
    """
    shipped, how = stories_gpt(), CUTS[cut]
    logits = scores_after(beginning)
    before = next_probabilities(logits, temperature)
    after = next_probabilities(logits, temperature, **how)
    top = logits.argsort(descending=True, stable=True)[:_SHOWN]
    return NextWord(
        tuple(BEGINNINGS.values()), BEGINNINGS[beginning], temperature, cut,
        tuple(shipped.words[i] for i in top.tolist()),
        before[top], after[top], int((after > 0).sum()), before[after > 0].sum().item(),
        _continuations(BEGINNINGS[beginning], temperature, cut),
    )  # fmt: skip


@lru_cache
def stories_gpt() -> Shipped:
    """Load the model once."""
    return load("stories-gpt")


@lru_cache
def scores_after(beginning: str) -> Float[Tensor, " word"]:
    """Return the scores of the word after one of the ``BEGINNINGS``."""
    shipped = stories_gpt()
    with looking(shipped.model):
        return shipped.model(shipped.prompt(BEGINNINGS[beginning]))[0, -1]


@lru_cache(maxsize=256)
def _continuations(text: str, temperature: float, cut: str, n: int = 3) -> tuple[str, ...]:
    """Go on for some words, n times, always from the same random numbers."""
    shipped = stories_gpt()
    rows = shipped.model.generate(
        shipped.prompt(text).expand(n, -1), 8, temperature=temperature,
        generator=torch.Generator().manual_seed(4), **CUTS[cut],
    )[:, shipped.prompt(text).shape[1] :]  # fmt: skip
    return tuple(shipped.decode(_first(row.tolist(), shipped.boundary_id)) for row in rows)


def _first(ids: list[int], boundary_id: int) -> list[int]:
    """What stands before the story's end."""
    return ids[: ids.index(boundary_id)] if boundary_id in ids else ids
