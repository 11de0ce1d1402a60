"""What the words before tell of a word, and what both sides tell: exact posteriors (lesson 41)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.config import require_whole
from course_lib.data.stories.grammar import Grammar, everyday_stories
from course_lib.data.stories.masked import MASK, Corruption, posteriors
from course_lib.data.stories.reading import next_words, surprises
from course_lib.data.stories.sampling import tell
from course_lib.experiments.masking_statistics import one_story


@dataclass(frozen=True)
class TwoSides:
    """One place of a story, and what the best possible readers answer there.

    Attributes:
        before: the probability of each word, for one who has read the words before it.
        both: the same, for one who has read all the other words.
    """

    words: tuple[str, ...]
    place: int
    before: dict[str, float]
    both: dict[str, float]


def two_sides(place: int) -> TwoSides:
    """Ask both readers for one word of the lesson's story, counted from 1."""
    words, grammar = one_story(), everyday_stories()
    require_whole(1, place=place)
    at = place - 1
    return TwoSides(words, at, next_words(grammar, words[:at]), fill_in(grammar, words, [at])[0])


def fill_in(grammar: Grammar, words: Sequence[str], places: Sequence[int]) -> list[dict]:
    """Return the posterior of each word at some places, all of them hidden at once."""
    seen = [MASK if at in places else word for at, word in enumerate(words)]
    # Whoever sees the masks knows which places are asked for: nothing is swapped or kept.
    how = Corruption(len(grammar.vocabulary), selected=0.5, masked=1.0, replaced=0.0)
    return posteriors(grammar, seen, places, how, prune=0.0)


@dataclass(frozen=True)
class Means:
    """Nats a word of the best readers, averaged over each of some stories.

    Attributes:
        before: of one who has read the words before.
        both: of one who has read all other words.
        one_ahead: of one who has read the words before and the one word behind.
    """

    before: tuple[float, ...]
    both: tuple[float, ...]
    one_ahead: tuple[float, ...]


def mean_surprises(n_stories: int = 12, seed: int = 0) -> Means:
    """Score the readers at every word of some stories, one hidden word at a time.

    Cost:
        about 0.1 s a story.
    """
    grammar = everyday_stories()
    before, both, one_ahead = [], [], []
    for story in tell(n_stories, seed, grammar):
        words = story.words
        answers = [fill_in(grammar, words, [at])[0][word] for at, word in enumerate(words)]
        before.append(sum(surprises(grammar, words)) / len(words))
        both.append(-sum(map(math.log, answers)) / len(words))
        answers = [with_next(grammar, words, at) for at in range(len(words))]
        one_ahead.append(-sum(map(math.log, answers)) / len(words))
    return Means(tuple(before), tuple(both), tuple(one_ahead))


def with_next(grammar: Grammar, words: Sequence[str], at: int) -> float:
    """Return the probability of one word, given those before it and the one behind it."""
    before = next_words(grammar, words[:at])
    if at == len(words) - 1:
        return before[words[at]]
    joint = {
        word: p * next_words(grammar, (*words[:at], word)).get(words[at + 1], 0.0)
        for word, p in before.items()
    }  # Bayes' rule
    return joint[words[at]] / sum(joint.values())
