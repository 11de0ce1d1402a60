"""Shared words: which tasks on pairs of sentences can be solved by counting them (lesson 41)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from course_lib.config import require_whole
from course_lib.data.pairs import (
    OTHER_TEXT,
    SAME_TEXT,
    SentencePair,
    next_sentence_pairs,
    sentence_order_pairs,
)
from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.sampling import Story, tell

SWAPPED = "the two swapped"
TASKS = (OTHER_TEXT, SAME_TEXT, SWAPPED)  # where the wrong pairs come from
PIECE = 2  # sentences


@dataclass(frozen=True)
class Overlap:
    """How many content words the two pieces of each pair share, and what can be told from it.

    Attributes:
        right, wrong: shared words, one number a pair, of pairs that are as they should be and
            of those that are not.
        accuracy: on the second half of the pairs, of whoever knows only the number of shared
            words, and which label it goes with more often in the first half.
    """

    task: str
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    accuracy: float


def overlap(task: str, n_stories: int = 1500, seed: int = 0) -> Overlap:
    """Make pairs of pieces of stories, count shared words, and see how far that goes."""
    require_whole(2, n_stories=n_stories)
    grammar = everyday_stories()
    texts = [pieces(story) for story in tell(n_stories, seed, grammar)]
    # A stranger of the same text takes a third piece, and pieces that differ.
    texts = [text for text in texts if len(text) > 2 and len(set(text)) == len(text)]
    pairs = make_pairs(task, texts, torch.Generator().manual_seed(seed))
    shared = [shared_words(grammar, pair) for pair in pairs]
    labels = [pair.label for pair in pairs]
    half = len(pairs) // 2
    answers = majority(shared[:half], labels[:half])
    return Overlap(
        task,
        tuple(n for n, label in zip(shared, labels, strict=True) if label == 0),
        tuple(n for n, label in zip(shared, labels, strict=True) if label == 1),
        accuracy(shared[half:], labels[half:], answers),
    )


def pieces(story: Story) -> list[tuple[str, ...]]:
    """Cut a story into pieces of two sentences; an odd one at the end is left out."""
    sentences = story.sentences
    return [sum(sentences[i : i + PIECE], ()) for i in range(0, len(sentences) - 1, PIECE)]


def make_pairs(task: str, texts: list, generator: torch.Generator) -> list[SentencePair]:
    """Pair neighbouring pieces; half of the pairs are wrong in the way that the task says."""
    if task not in TASKS:
        raise ValueError(f"task must be one of {TASKS}, got {task!r}")
    if task == SWAPPED:
        return sentence_order_pairs(texts, generator)
    return next_sentence_pairs(texts, generator, negatives=task)


def shared_words(grammar: Grammar, pair: SentencePair) -> int:
    """Count the different words of the open classes (names, things, ...) that both pieces have."""
    return len(set(pair.first) & set(pair.second) - set(grammar.closed))


def majority(shared: Sequence[int], labels: Sequence[int]) -> dict[int, int]:
    """Return, for each number of shared words, the label that more of its pairs have."""
    return {
        n: int(2 * sum(label for m, label in zip(shared, labels, strict=True) if m == n)
               > list(shared).count(n))
        for n in set(shared)
    }  # fmt: skip


def accuracy(shared: Sequence[int], labels: Sequence[int], answers: dict[int, int]) -> float:
    """Return the share of right answers; numbers that were never met get label 0."""
    pairs = zip(shared, labels, strict=True)
    return sum(answers.get(n, 0) == label for n, label in pairs) / len(labels)
