"""Grammars so small that every story can be listed, and a list that is made in another way."""

import math
from collections import defaultdict
from itertools import permutations, product

import pytest

from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.patterns import class_of
from course_lib.data.stories.plot import plot
from course_lib.data.stories.words import CLASSES, closed_words
from course_lib.data.stories.world import Sentence, World

TINY = {
    "start": [
        (2, "@boy0 was in the @place0 .", "one"),
        (1, "@boy0 and @boy1 were in the @place0 .", "two"),
        (1, "once a|the day came .", "one"),
    ],
    "one": [
        (3, "@boy0 went|ran to the @place1 .", "late"),
        (1, "@boy0 went|ran home .", None),
        (0.5, "once a|the night came .", "one later"),
    ],
    "one later": [(1, "@boy0 slept .", None), (1, "@boy0 was in the @place0 .", "late")],
    "two": [(1, "@boy1 went|ran to the @place1 .", "late"), (2, "@boy0 slept .", None)],
    "late": [(1, "it was @boy0 .", None), (1, "it was the @place0 .", None)],
}
TINY_CLASSES = {"boy": ("Al", "Bo", "Cy"), "place": ("hut", "inn", "zoo")}
TINY_CLOSED = "was in the . and were once a day came went ran to home night slept it".split()


def tiny_plot(world):
    for weight, text, after in TINY[world]:
        yield Sentence(weight, tuple(text.split()), after, text)


def few(n=1, **sizes):
    """The classes of the everyday stories, cut down."""
    return {name: words[: sizes.get(name, n)] for name, words in CLASSES.items()}


def beginnings(world):
    """The everyday plot, with the story over after two sentences."""
    for sentence in plot(world):
        ends = sentence.after is None or sentence.after.told >= 2
        yield sentence._replace(after=None) if ends else sentence


def told_before(world):
    """The everyday plot from a world on; a first sentence tells all that led there."""
    slots = "boy girl place0 place1 place2 thing colour food taste sky time sad"
    words = (*(f"@{slot}" for slot in slots.split()), ".")

    def from_there(now):
        return [Sentence(1, words, world, "before")] if now == "before" else plot(now)

    return from_there


END = World(told=6, boy="place0", girl="place1", places=2, thing="boy", food="girl", topic="girl")
ANSWER = World(told=6, boy="place0", places=1, thing="place0", mood=("girl", "sad"), asked="girl")
GRAMMARS = {
    "tiny": lambda: Grammar(tiny_plot, "start", TINY_CLASSES, TINY_CLOSED),
    "beginnings": lambda: Grammar(
        beginnings, World(), few(boy=2, place=3, thing=2, sky=2), closed_words()
    ),
    "endings": lambda: Grammar(told_before(END), "before", few(place=3, colour=2), closed_words()),
    "answers": lambda: Grammar(
        told_before(ANSWER), "before", few(boy=2, place=3, sad=2), closed_words()
    ),
}


def slots_of(grammar):
    """Collect all slots, class by class, by walking through every world."""
    found, todo, known = defaultdict(set), [grammar.start], set()
    while todo:
        world = todo.pop()
        for sentence in grammar.plot(world):
            for unit in sentence.units:
                if unit.startswith("@"):
                    found[class_of(unit[1:])].add(unit[1:])
            if sentence.after is not None and sentence.after not in known:
                known.add(sentence.after)
                todo.append(sentence.after)
    return {name: sorted(slots) for name, slots in found.items()}


def assignments(grammar):
    """Every way to fill all slots before the story begins; all are equally likely."""
    parts = []
    for name, slots in slots_of(grammar).items():
        orders = permutations(grammar.classes[name], len(slots))
        parts.append([dict(zip(slots, words, strict=True)) for words in orders])
    for chosen in product(*parts):
        yield {slot: word for part in chosen for slot, word in part.items()}


def texts_from(grammar, world, fillers):
    """Every way a story can go on from a world: its probability and its sentences."""
    if world is None:
        yield 1.0, ()
        return
    sentences = list(grammar.plot(world))
    total = sum(sentence.weight for sentence in sentences)
    for sentence in sentences:
        choices = [[fillers[u[1:]]] if u[0] == "@" else u.split("|") for u in sentence.units]
        share = sentence.weight / total / math.prod(map(len, choices))
        for p, rest in texts_from(grammar, sentence.after, fillers):
            for words in product(*choices):
                yield p * share, (words, *rest)


def all_stories(grammar):
    """Probability of every story, told sentence by sentence."""
    found, ways = defaultdict(float), list(assignments(grammar))
    for fillers in ways:
        for p, sentences in texts_from(grammar, grammar.start, fillers):
            found[sentences] += p / len(ways)
    return dict(found)


def all_texts(stories):
    """Probability of every story, as words."""
    found = defaultdict(float)
    for sentences, p in stories.items():
        found[tuple(word for sentence in sentences for word in sentence)] += p
    return dict(found)


class Listed:
    """A grammar, all its stories, and the probability of every beginning of one."""

    def __init__(self, grammar):
        self.grammar, self.stories = grammar, all_stories(grammar)
        self.texts = all_texts(self.stories)
        self.beginnings = defaultdict(float)
        for text, p in self.texts.items():
            for length in range(len(text) + 1):
                self.beginnings[text[:length]] += p


@pytest.fixture(scope="session", params=GRAMMARS)
def listed(request):
    return Listed(GRAMMARS[request.param]())


@pytest.fixture(scope="session")
def tiny():
    return Listed(GRAMMARS["tiny"]())


@pytest.fixture(scope="session")
def grammar():
    return everyday_stories()
