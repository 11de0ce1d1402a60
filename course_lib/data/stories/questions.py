"""Questions about a story whose answer is a span of its words."""

import random
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.stories.claims import PEOPLE
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import require_words
from course_lib.data.stories.sampling import Story, tell
from course_lib.data.stories.words import QUALITY, QUESTIONS

OUTSIDE = "outside"
TAGS = {
    "boy": "person", "girl": "person", "place": "place", "thing": "object", "food": "object",
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A question about the end of a story; the answer is ``story[start:stop]``."""

    story: tuple[str, ...]
    question: tuple[str, ...]
    start: int
    stop: int

    @property
    def answer(self) -> tuple[str, ...]:
        """The words of the answer."""
        return self.story[self.start : self.stop]


def questions(n_questions: int, seed: int) -> list[Question]:
    """Ask one question about each of some stories; the answer is where it was last told.

    Raises:
        TypeError, ValueError: if a number is not whole, or negative.
    """
    require_whole(0, n_questions=n_questions, seed=seed)
    draw = random.Random(seed).random
    found = []
    for story in tell(n_questions, seed):
        options = _options(story)
        question, answer = options[int(draw() * len(options))]
        start = _last(story.words, answer)
        found.append(Question(story.words, question, start, start + len(answer)))
    return found


def _options(story: Story) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """List the questions that a story answers, each with the words of its answer."""
    world, slots = story.worlds[-2], story.fillers  # the last sentence changes nothing
    found = []
    for person in PEOPLE:
        name, place = slots[person], world.place_of(person)
        if place is not None:
            found.append((QUESTIONS["where"].replace("X", name), slots[place]))
        items = [f"{slots[QUALITY[item]]} {slots[item]}" for item in world.items_of(person)]
        found += [(QUESTIONS["who"].replace("NEW", item), name) for item in items]
        if len(items) == 1:
            found.append((QUESTIONS["what"].replace("X", name), items[0]))
    return [(tuple(question.split()), tuple(answer.split())) for question, answer in found]


def _last(words: tuple[str, ...], answer: tuple[str, ...]) -> int:
    """Find where the answer begins when it is told for the last time."""
    starts = range(len(words) - len(answer), -1, -1)
    return next(start for start in starts if words[start : start + len(answer)] == answer)


def name_tags(words: tuple[str, ...]) -> list[str]:
    """Tag each word: a person, a place, an object, or outside of these."""
    require_words(words)
    classes = everyday_stories().class_of_word
    return [TAGS.get(classes.get(word), OUTSIDE) for word in words]
