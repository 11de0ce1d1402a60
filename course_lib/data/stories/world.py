"""The world that a story is about, and what saying a sentence does to it."""

from typing import NamedTuple

from course_lib.data.stories.patterns import forms


class World(NamedTuple):
    """What is true, and what was told, after some sentences of a story."""

    told: int = 0  # sentences so far
    boy: str | None = None  # the place of each; None: not told
    girl: str | None = None
    places: int = 0  # how many places were named
    thing: str | None = None  # a person who has it, or a place; None: not in the story
    food: str | None = None  # a person who has it, or "gone"
    mood: tuple[str, str] | None = None  # whose feeling was told, and which
    topic: str | None = None  # the person that the last sentence was about
    asked: str | None = None  # who has to answer where the thing is

    def place_of(self, person: str) -> str | None:
        """Return where somebody is."""
        return self.boy if person == "boy" else self.girl

    def together(self) -> bool:
        """Say whether both are known to be in one place."""
        return self.boy is not None and self.boy == self.girl

    def items_of(self, holder: str | None) -> list[str]:
        """List what a person has, or what lies in a place."""
        held = {"thing": self.thing, "food": self.food}
        return [item for item, where in held.items() if holder is not None and where == holder]


class Sentence(NamedTuple):
    """One sentence that may come next."""

    weight: float  # compared with the other sentences; a probability once they are normalised
    units: tuple[str, ...]
    after: World | None  # the world after it; None: the story is over
    kind: str


def say(world: World, weight: float, kind: str, x=None, item=None, ends=False, **change):
    """Give a sentence and what it changes, once for each form that it can take.

    Args:
        world: what is true before.
        weight: how likely it is, compared with the other sentences.
        kind: which of ``SENTENCES``.
        x: the person it is about, "boy" or "girl".
        item: the object spoken of, "thing" or "food".
        ends: whether the story is over.
        change: fields of the world that change; ``place``, ``other`` and ``feeling`` fill
            PLACE, OTHER and FEELING instead.
    """
    said = {name: change.pop(name, None) for name in ("place", "other", "feeling")}
    after = None
    if not ends:
        after = world._replace(**{"told": world.told + 1, "topic": x, "asked": None, **change})
    return [
        Sentence(weight * share, units, after, kind)
        for share, units in forms(kind, x, x is not None and world.topic == x, item, **said)
    ]
