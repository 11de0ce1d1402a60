"""Entailment: a story and a claim about its end, which follows, is false, or is neither."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.sampling import Story, tell
from course_lib.data.stories.words import CLAIMS
from course_lib.data.stories.world import World

ENTAILS, CONTRADICTS, NEITHER = LABELS = ("entails", "contradicts", "neither")
PEOPLE = ("boy", "girl")


@dataclass(frozen=True)
class Claim:
    """What is claimed about a story, and whether it is so when the story ends."""

    story: tuple[str, ...]
    claim: tuple[str, ...]
    label: str


def claims(n_claims: int, seed: int) -> list[Claim]:
    """Make claims about stories; each kind of claim has each label equally often.

    A place that is claimed is always one that the story names.  No word of a claim tells its
    label: names and places are exchangeable, so a reader of claims alone is right 1 time in 3.

    Raises:
        TypeError, ValueError: if a number is not whole, or negative.
    """
    require_whole(0, n_claims=n_claims, seed=seed)
    grammar, draw = everyday_stories(), random.Random(seed).random
    found: list[Claim] = []
    stories = _stories(grammar, seed)
    while len(found) < n_claims:
        kind = list(CLAIMS)[len(found) % len(CLAIMS)]
        label = LABELS[len(found) // len(CLAIMS) % len(LABELS)]
        options = []
        while not options:
            story = next(stories)
            options = _options(grammar, story, kind, label)
        claim = options[int(draw() * len(options))]
        found.append(Claim(story.words, tuple(claim.split()), label))
    return found


def _stories(grammar: Grammar, seed: int) -> Iterator[Story]:
    """Tell stories without end."""
    batch = 0
    while True:
        yield from tell(200, seed + 7919 * batch, grammar)
        batch += 1


def _options(grammar: Grammar, story: Story, kind: str, label: str) -> list[str]:
    """List the claims of one kind about a story that deserve a label."""
    world, slots = story.worlds[-2], story.fillers  # the last sentence changes nothing
    if kind == "place":
        words = [word for slot, word in slots.items() if slot.startswith("place")]
        fields = "PLACE"
    else:
        words = grammar.classes["thing"] if label == NEITHER else [slots.get("thing")]
        fields = "OLD"
    names = {person: slots[person] for person in PEOPLE}
    return [
        CLAIMS[kind].replace("X", name).replace(fields, word)
        for person, name in names.items()
        for word in words
        if word and _judge(world, slots, kind, person, word) == label
    ]


def _judge(world: World, slots: dict[str, str], kind: str, person: str, word: str) -> str:
    """Say whether a claim follows from a story, from what is true at its end."""
    if kind == "place":
        place = world.place_of(person)
        if place is None:
            return NEITHER
        return ENTAILS if slots[place] == word else CONTRADICTS
    if slots.get("thing") != word:
        return NEITHER
    return ENTAILS if world.thing == person else CONTRADICTS
