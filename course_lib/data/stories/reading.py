"""Reading a story as one who knows the grammar: what each word costs, and where it goes wrong."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from course_lib.data.stories.fillers import chance, words_of
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.tree import Node


@dataclass(frozen=True)
class Reading:
    """What a reader who knows the grammar makes of a text.

    Attributes:
        nats: the surprise at each word, -log p(word | the words before), as far as was read.
        worlds: the world before each sentence that was begun; last of all, the one after the
            last complete sentence (None: the story is over).
        fillers: the word of each slot that was said.
        impossible: the index of the first word that cannot stand where it does; the length of
            the text, when it breaks off before the story is over; None for a possible story.
    """

    nats: tuple[float, ...]
    worlds: tuple[Hashable | None, ...]
    fillers: dict[str, str]
    impossible: int | None


def require_words(words: object) -> None:
    """Raise if a story came as one text: its letters would be taken for words."""
    if isinstance(words, str):
        raise TypeError(f"words must be a list of words, got the text {words[:40]!r}: split it")


class _Reader:
    """Where a reader is, after some words: there is never more than one place to be."""

    def __init__(self, grammar: Grammar):
        self.grammar, self.fillers = grammar, {}
        self.worlds: list[Hashable | None] = [grammar.start]
        self.node: Node = grammar.tree(grammar.start)

    def step(self, word: str) -> float:
        """Read one word, and return its probability; 0 leaves everything as it was."""
        for branch in self.node.branches:
            p = branch.probability * chance(self.grammar, branch.unit, word, self.fillers)
            if p > 0:
                if branch.unit.startswith("@"):
                    self.fillers[branch.unit[1:]] = word
                if branch.node is None:
                    self.worlds.append(branch.after)
                self.node = self.grammar.follow(branch)
                return p
        return 0.0


def read(grammar: Grammar, words: Sequence[str]) -> Reading:
    """Read a text word by word, until it ends or a word is impossible.

    Cost:
        about 0.1 ms a story once its worlds are known.
    """
    require_words(words)
    reader, nats = _Reader(grammar), []
    for position, word in enumerate(words):
        p = reader.step(word)
        if p == 0:
            return Reading(tuple(nats), tuple(reader.worlds), reader.fillers, position)
        nats.append(-math.log(p))
    over = reader.worlds[-1] is None
    return Reading(tuple(nats), tuple(reader.worlds), reader.fillers, None if over else len(words))


def possible(grammar: Grammar, words: Sequence[str]) -> int | None:
    """Return the index of the first impossible word, or None when the story is possible.

    A story that breaks off has no impossible word: then the index is the length of the text.
    """
    return read(grammar, words).impossible


def surprises(grammar: Grammar, words: Sequence[str]) -> tuple[float, ...]:
    """Return -log p(word | the words before) of every word of a story.

    Raises:
        ValueError: if a word is impossible: its surprise would be infinite.

    Units:
        nats.
    """
    reading = read(grammar, words)
    if len(reading.nats) < len(words):
        at = reading.impossible
        raise ValueError(f"words must be a possible story, got {words[at]!r} as word {at}")
    return reading.nats


def next_words(grammar: Grammar, words: Sequence[str]) -> dict[str, float]:
    """Return the probability of every word that may follow; empty when the story is over.

    Raises:
        ValueError: if the words before are impossible.
    """
    require_words(words)
    reader = _Reader(grammar)
    for position, word in enumerate(words):
        if reader.step(word) == 0:
            raise ValueError(f"words must be possible, got {word!r} as word {position}")
    found: dict[str, float] = {}
    for branch in reader.node.branches:
        choices = words_of(grammar, branch.unit, reader.fillers)
        found |= {word: branch.probability / len(choices) for word in choices}
    return found
