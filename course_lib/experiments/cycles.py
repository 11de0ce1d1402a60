"""Greedy writing as a walk from state to state, and the cycle that it ends in (lesson 51)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.config import require_whole
from course_lib.mechanisms.sampling import sample
from course_lib.models.shipped import Shipped
from course_lib.training.objectives import looking


@dataclass(frozen=True)
class Cycle:
    """A walk that repeats itself: after ``before`` steps it comes round every ``length``."""

    before: int
    length: int


def random_chain(n_words: int, seed: int, spread: float = 2.0) -> Float[Tensor, "word word"]:
    """Make the scores of a chain of words: row i scores every word as the one after word i."""
    require_whole(1, n_words=n_words)
    draws = torch.Generator().manual_seed(seed)
    return spread * torch.randn(n_words, n_words, generator=draws)


def walk(
    chain: Float[Tensor, "word word"],
    n_steps: int,
    temperature: float,
    generator: torch.Generator | None = None,
    start: int = 0,
) -> Int[Tensor, " step"]:
    """Write words, each by the row of the word before; the first one is ``start``."""
    require_whole(0, n_steps=n_steps, start=start)
    words = [start]
    for _ in range(n_steps):
        words.append(int(sample(chain[words[-1]], temperature, generator)))
    return torch.tensor(words)


def first_cycle(states: Sequence[Hashable]) -> Cycle | None:
    """Find the first state that comes a second time.

    Whoever goes on by the state alone has then nothing new before him.

    Returns:
        None when all states differ.
    """
    seen: dict[Hashable, int] = {}
    for step, state in enumerate(states):
        if state in seen:
            return Cycle(seen[state], step - seen[state])
        seen[state] = step
    return None


def windows(ids: Int[Tensor, " token"], width: int) -> list[tuple[int, ...]]:
    """Return what a model that reads the last ``width`` tokens has before it at every step."""
    require_whole(1, width=width)
    tokens = ids.tolist()
    return [tuple(tokens[max(0, end - width) : end]) for end in range(1, len(tokens) + 1)]


def has_period(ids: Int[Tensor, " token"], longest: int) -> int | None:
    """Return the least period, up to ``longest``, with which all of these tokens repeat."""
    for period in range(1, min(longest, len(ids) // 2) + 1):
        if torch.equal(ids[period:], ids[:-period]):
            return period
    return None


def steps_to_repeat(n_words: int, seeds: Sequence[int]) -> Float[Tensor, " seed"]:
    """Measure after how many words greedy writing comes to a word that it has had."""
    found = []
    for seed in seeds:
        after = sample(random_chain(n_words, seed), 0).tolist()  # greedily, behind every word
        words = [0]
        while len(set(words)) == len(words):
            words.append(after[words[-1]])
        found.append(float(len(words) - 1))
    return torch.tensor(found)


def expected_steps_to_repeat(n_words: int) -> float:
    """Return the mean of :func:`steps_to_repeat` over all chains: a birthday problem.

    Each new row sends the walk anywhere, so after k different words the next one is new with
    probability 1 - k/n.

    Source:
        Flajolet and Odlyzko 1990 (rho length of a random mapping).
    """
    require_whole(1, n_words=n_words)
    total, all_new = 0.0, 1.0
    for k in range(1, n_words + 1):
        total += all_new  # the probability that the walk has at least k different words
        all_new *= 1 - k / n_words
    return total


def short_memory(
    shipped: Shipped,
    starts: Int[Tensor, "text start"],
    width: int,
    n_steps: int,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "text token"]:
    """Let a model write on, several texts at once, when it may read the last ``width`` words.

    The boundary stands in front of them, as it stood in front of all that the model was trained
    on: without it the model stutters.
    """
    require_whole(1, width=width, n_steps=n_steps)
    ids = starts
    boundary = torch.full((len(ids), 1), shipped.boundary_id)
    with looking(shipped.model):
        for _ in range(n_steps):
            read = torch.cat([boundary, ids[:, -width:]], dim=1)
            new = sample(shipped.model(read)[:, -1], temperature, generator)
            ids = torch.cat([ids, new[:, None]], dim=1)
    return ids


def steps_to_cycle(ids: Int[Tensor, "text token"], width: int) -> list[int | None]:
    """Return for each text after how many steps it comes to a state that it has had."""
    found = [first_cycle(windows(row, width)) for row in ids]
    return [None if cycle is None else cycle.before + cycle.length for cycle in found]
