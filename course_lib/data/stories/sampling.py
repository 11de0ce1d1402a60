"""Drawing stories: the same seed gives the same stories on every machine."""

import random
from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.stories.fillers import words_of
from course_lib.data.stories.grammar import Grammar, everyday_stories


@dataclass(frozen=True)
class Story:
    """A story, and what is known about it because we told it.

    Attributes:
        sentences: the words of each sentence.
        units: what each word stands for: itself, a choice, or a slot.
        kinds: the kind of each sentence.
        worlds: the world before each sentence; the last one, after the story, is None.
        fillers: the word of each slot that was said.
    """

    sentences: tuple[tuple[str, ...], ...]
    units: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...]
    worlds: tuple[Hashable | None, ...]
    fillers: dict[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the story."""
        return tuple(word for sentence in self.sentences for word in sentence)

    @property
    def text(self) -> str:
        """The story as text, with a space between two words."""
        return " ".join(self.words)


def tell(n_stories: int, seed: int, grammar: Grammar | None = None) -> list[Story]:
    """Draw stories.

    The first stories of a longer list are those of a shorter one with the same seed.

    Args:
        n_stories: how many.
        seed: a whole number; held-out stories take another one.
        grammar: left out, :func:`everyday_stories`.

    Raises:
        TypeError, ValueError: if a number is not whole, or negative.
    """
    require_whole(0, n_stories=n_stories, seed=seed)
    grammar = grammar or everyday_stories()
    # Only random() is drawn from: it alone is promised to stay the same in later Pythons.
    draw = random.Random(seed).random
    return [_tell_one(grammar, draw) for _ in range(n_stories)]


def _tell_one(grammar: Grammar, draw) -> Story:
    world, fillers = grammar.start, {}
    sentences, units, kinds, worlds = [], [], [], [world]
    while world is not None:
        steps = grammar.cumulated(world)
        choice = min(bisect_right(steps, draw()), len(steps) - 1)
        sentence = grammar.sentences(world)[choice]
        said = tuple(_say(grammar, unit, fillers, draw) for unit in sentence.units)
        world = sentence.after
        sentences.append(said)
        units.append(sentence.units)
        kinds.append(sentence.kind)
        worlds.append(world)
    return Story(*(tuple(part) for part in (sentences, units, kinds, worlds)), fillers)


def _say(grammar: Grammar, unit: str, fillers: dict[str, str], draw) -> str:
    """Say one unit, and remember what a slot was filled with."""
    if unit[0] != "@" and "|" not in unit:
        return unit
    choices = words_of(grammar, unit, fillers)
    word = choices[int(draw() * len(choices))] if len(choices) > 1 else choices[0]
    if unit[0] == "@":
        fillers[unit[1:]] = word
    return word
