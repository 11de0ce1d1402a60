"""Stories written at different temperatures: how varied they are, how many are possible."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from course_lib.config import require_whole
from course_lib.data.stories.sampling import tell
from course_lib.experiments.story_writing import share_possible
from course_lib.models.shipped import Shipped


@dataclass(frozen=True)
class Written:
    """Some stories, and two things that one would like them to be.

    Attributes:
        distinct: different runs of four words, as a share of all, among the first ``n_words``.
        possible: the share of stories that the grammar can tell.
    """

    stories: tuple[tuple[str, ...], ...]
    distinct: float
    possible: float
    n_words: int


def distinct_n(texts: Sequence[Sequence[str]], n: int, n_words: int | None = None) -> float:
    """Return the share of different runs of n words among all; a run never spans two texts.

    Longer samples repeat more whoever writes them, so two of them must be compared at one
    length.

    Args:
        n_words: look at so many words from the start, cutting the text in which they end.

    Raises:
        ValueError: if there are fewer words, or no run of n.

    Source:
        Li et al. 2016 (distinct-1 and distinct-2, over all words).
    """
    require_whole(1, n=n)
    if n_words is not None:
        texts = _first_words(texts, n_words)
    runs = [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    if not runs:
        raise ValueError(f"texts must hold at least one run of n={n} words, got none")
    return len(set(runs)) / len(runs)


def _first_words(texts: Sequence[Sequence[str]], n_words: int) -> list[Sequence[str]]:
    """The first n_words words of all texts, cut where they end."""
    cut, left = [], n_words
    for text in texts:
        cut.append(text[:left])
        left -= len(cut[-1])
        if left == 0:
            return cut
    raise ValueError(f"texts must hold at least n_words={n_words}, got {n_words - left}")


def write_stories(
    shipped: Shipped,
    n: int,
    generator: torch.Generator,
    prompt: str = "",
    **how: float | int | None,
) -> list[tuple[str, ...]]:
    """Let a model write stories, each to its end or as far as the model can read.

    Args:
        prompt: the words that every story begins with.
        how: temperature, top_k, top_p.
    """
    require_whole(1, n=n)
    start = shipped.prompt(prompt).expand(n, -1)
    room = shipped.model.config.max_seq_len - start.shape[1]
    rows = shipped.model.generate(start, room + 1, generator=generator, **how)[:, 1:].tolist()
    end = shipped.boundary_id
    cut = [row[: row.index(end)] if end in row else row for row in rows]
    return [tuple(shipped.decode(row).split()) for row in cut]


def judged(stories: Sequence[Sequence[str]], n_words: int) -> Written:
    """Measure how varied some stories are, and how many of them are possible."""
    return Written(
        tuple(map(tuple, stories)), distinct_n(stories, 4, n_words), share_possible(stories),
        n_words,
    )  # fmt: skip


def at_temperatures(
    shipped: Shipped, temperatures: Sequence[float], n: int = 48, n_words: int = 1500, seed: int = 0
) -> dict[float, Written]:
    """Write stories at each temperature and judge them."""
    return {
        t: judged(
            write_stories(shipped, n, torch.Generator().manual_seed(seed), temperature=t), n_words
        )
        for t in temperatures
    }


def told_by_the_grammar(n: int = 48, n_words: int = 1500, seed: int = 3_000_003) -> Written:
    """Judge stories that the grammar itself has told."""
    return judged([story.words for story in tell(n, seed)], n_words)
