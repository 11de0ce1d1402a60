"""Acceptable or not: sentences of the grammar, and sentences in which something was broken."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from course_lib.config import require_whole
from course_lib.data.stories.entropy import states_by_length
from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.patterns import class_of
from course_lib.data.stories.reading import require_words
from course_lib.data.stories.sampling import tell

Words = tuple[str, ...]
BREAKS = ("swap", "drop", "replace")


@dataclass(frozen=True)
class Judgement:
    """A sentence, and whether some story may hold it."""

    words: Words
    acceptable: bool


@cache
def shapes(grammar: Grammar) -> frozenset[Words]:
    """Collect the shapes of all sentences that any story can hold; see :func:`shape`.

    Cost:
        one visit of every world: some seconds for :func:`everyday_stories`.
    """
    units = {
        sentence.units
        for level in states_by_length(grammar)
        for world, _ in level
        for sentence in grammar.sentences(world)
    }
    return frozenset(
        _numbered([(class_of(u[1:]) if u[0] == "@" else None, u) for u in chosen])
        for sentence in units
        for chosen in product(*(unit.split("|") for unit in sentence))
    )


def shape(grammar: Grammar, words: Sequence[str]) -> Words:
    """Replace each word of an open class by its class, numbered as they come: "@place1"."""
    return _numbered([(grammar.class_of_word.get(word), word) for word in words])


def _numbered(pairs: Sequence[tuple[str | None, str]]) -> Words:
    met: dict[str, list[str]] = {}
    found = []
    for name, word in pairs:
        if name is not None:
            known = met.setdefault(name, [])
            if word not in known:
                known.append(word)
            word = f"@{name}{known.index(word)}"
        found.append(word)
    return tuple(found)


def is_sentence(grammar: Grammar, words: Sequence[str]) -> bool:
    """Say whether some story holds this sentence."""
    require_words(words)
    return shape(grammar, words) in shapes(grammar)


def judgements(n_sentences: int, seed: int) -> list[Judgement]:
    """Take one sentence from each of some stories; break every other one.

    Two neighbouring words are swapped, or a word is left out, or replaced by any other word.
    What is still a sentence of the grammar is broken again.

    Raises:
        TypeError, ValueError: if a number is not whole, or negative.
    """
    require_whole(0, n_sentences=n_sentences, seed=seed)
    grammar, draw = everyday_stories(), random.Random(seed).random
    found = []
    for number, story in enumerate(tell(n_sentences, seed, grammar)):
        words = story.sentences[int(draw() * len(story.sentences))]
        broken = words
        while number % 2 and is_sentence(grammar, broken):
            broken = _break(words, grammar.vocabulary, draw)
        found.append(Judgement(broken, number % 2 == 0))
    return found


def _break(words: Words, vocabulary: Words, draw) -> Words:
    """Break a sentence at one position; the full stop at its end stays."""
    how = BREAKS[int(draw() * len(BREAKS))]
    at = int(draw() * (len(words) - 2))
    if how == "swap":
        return (*words[:at], words[at + 1], words[at], *words[at + 2 :])
    new = () if how == "drop" else (vocabulary[int(draw() * len(vocabulary))],)
    return (*words[:at], *new, *words[at + 1 :])
