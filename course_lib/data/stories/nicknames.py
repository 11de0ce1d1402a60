"""Names that a list of words cannot find: some people are called after a thing or a place."""

import random
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.stories.claims import PEOPLE
from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.patterns import class_of
from course_lib.data.stories.questions import OUTSIDE, TAGS
from course_lib.data.stories.sampling import Story, tell

CALLED_AFTER = ("thing", "place")
SHARE = 0.5  # of the people who bear a nickname
_APART = 1_000_000_007  # the draws are others than those that told the stories


@dataclass(frozen=True)
class Tagged:
    """A story and what each of its words is: a person, a place, an object, or none of these."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


def nicknamed(n_stories: int, seed: int, share: float = SHARE) -> list[Tagged]:
    """Tell stories in which people may bear the name of a thing or a place: "kite found a map".

    A nickname is a word that the story does not use for anything else.  So the tag of a word
    follows from the story that it stands in, and not always from the word.

    Args:
        share: how likely each person is to have a nickname.

    Raises:
        TypeError, ValueError: if a number is not whole, or negative, or ``share`` is no share.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie in [0, 1], got {share}")
    require_whole(0, n_stories=n_stories, seed=seed)
    grammar, draw = everyday_stories(), random.Random(_APART + seed).random
    return [_renamed(grammar, story, share, draw) for story in tell(n_stories, seed, grammar)]


def _renamed(grammar: Grammar, story: Story, share: float, draw) -> Tagged:
    """Give people other names, and tag every word by the slot that it fills."""
    fillers = dict(story.fillers)
    for person in PEOPLE:
        names = [word for name in CALLED_AFTER for word in grammar.classes[name]
                 if word not in fillers.values()]  # fmt: skip
        luck, choice = draw(), draw()  # both always, so that share changes no later story
        if luck < share:
            fillers[person] = names[int(choice * len(names))]
    units = [unit for sentence in story.units for unit in sentence]
    pairs = zip(units, story.words, strict=True)
    words = tuple(fillers[unit[1:]] if unit[0] == "@" else word for unit, word in pairs)
    return Tagged(words, tuple(_tag(unit) for unit in units))


def _tag(unit: str) -> str:
    return TAGS.get(class_of(unit[1:]), OUTSIDE) if unit[0] == "@" else OUTSIDE
