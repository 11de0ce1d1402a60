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

    Raises:
        ValueError: if the prompt is longer than the model can read.
    """
    require_whole(1, n=n)
    return _write(shipped, [prompt] * n, generator, how)


def _write(
    shipped: Shipped, prompts: Sequence[str], generator: torch.Generator, how: dict
) -> list[tuple[str, ...]]:
    """Write a story to each prompt; they have one length."""
    start = torch.cat([shipped.prompt(prompt) for prompt in prompts])
    room = shipped.model.config.max_seq_len - start.shape[1]
    if room < 0:
        raise ValueError(
            f"prompt must have at most {shipped.model.config.max_seq_len - 1} words, "
            f"got {start.shape[1] - 1}"
        )
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


def first_sentences(n: int, seed: int = 4_000_003) -> list[str]:
    """Return the first sentences of n stories that the grammar tells."""
    return [" ".join(story.sentences[0]) for story in tell(n, seed)]


def finish_stories(
    shipped: Shipped,
    beginnings: Sequence[str],
    generator: torch.Generator,
    **how: float | int | None,
) -> list[tuple[str, ...]]:
    """Write one story to each beginning; those of one length are written together."""
    by_length: dict[int, list[int]] = {}
    for number, text in enumerate(beginnings):
        by_length.setdefault(len(text.split()), []).append(number)
    found: dict[int, tuple[str, ...]] = {}
    for numbers in by_length.values():
        prompts = [beginnings[number] for number in numbers]
        found |= zip(numbers, _write(shipped, prompts, generator, how), strict=True)
    return [found[number] for number in range(len(beginnings))]


def finished_and_judged(
    shipped: Shipped, n: int, n_words: int, seed: int = 0, **how: float | int | None
) -> Written:
    """Let a model finish n stories from their first sentences, always the same, and judge them."""
    draws = torch.Generator().manual_seed(seed)
    return judged(finish_stories(shipped, first_sentences(n), draws, **how), n_words)


def at_temperatures(
    shipped: Shipped, temperatures: Sequence[float], n: int, n_words: int, seed: int = 0
) -> dict[float, Written]:
    """Finish the same stories at each temperature, and judge them."""
    return {t: finished_and_judged(shipped, n, n_words, seed, temperature=t) for t in temperatures}


def told_by_the_grammar(n: int, n_words: int, seed: int = 3_000_003) -> Written:
    """Judge stories that the grammar itself has told."""
    return judged([story.words for story in tell(n, seed)], n_words)
