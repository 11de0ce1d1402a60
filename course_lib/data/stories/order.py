"""Does B follow A?  Exact answers for next-sentence prediction and for sentence order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from course_lib.config import require_whole
from course_lib.data.stories.beliefs import Beliefs, Hypothesis, advance, over
from course_lib.data.stories.entropy import states_by_length
from course_lib.data.stories.fillers import words_of
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.masked import mean_and_error
from course_lib.data.stories.reading import read
from course_lib.data.stories.sampling import Story, tell

Words = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Two pieces of text, and whether the second follows the first (or stood before it)."""

    first: Words
    second: Words
    follows: bool


def next_sentence_pairs(
    grammar: Grammar, n_pairs: int, seed: int, cut: int = 2, same_names: bool = False
) -> list[Pair]:
    """Cut stories in two; every other first part gets the second part of another story.

    Args:
        cut: sentences in the first part; the second part is all the rest.
        same_names: whether the wrong second part is told again with the names, places and
            objects of the first, so that comparing words is not enough.
    """
    require_whole(2, n_pairs=n_pairs)
    stories, others = tell(n_pairs, seed, grammar), tell(n_pairs, seed + 1_000_003, grammar)
    return pair_up(grammar, stories, others, seed, cut, same_names)


def pair_up(
    grammar: Grammar, stories: Sequence[Story], others: Sequence[Story], seed: int, cut: int = 2,
    same_names: bool = False,
) -> list[Pair]:  # fmt: skip
    """Pair first parts of stories that are there with their own rest, or with that of another.

    Args:
        stories: all first parts are theirs, and every other second part.
        others: as many, and each another story; the rest of the second parts is theirs.
        seed: of the words that are drawn anew; the other arguments are those of
            :func:`next_sentence_pairs`.
    """
    require_whole(1, cut=cut)
    draw = random.Random(seed).random
    pairs = []
    for number, (story, other) in enumerate(zip(stories, others, strict=True)):
        _require_length(cut=cut, needed=cut + 1, stories=(story, other))
        first, follows = _joined(story.sentences[:cut]), number % 2 == 0
        if follows:
            second = _joined(story.sentences[cut:])
        elif same_names:
            second = _told_again(grammar, other, cut, read(grammar, first).fillers, draw)
        else:
            second = _joined(other.sentences[cut:])
        pairs.append(Pair(first, second, follows))
    return pairs


def _require_length(*, needed: int, stories: Sequence[Story], **given: int) -> None:
    """Raise if a story is too short to be taken apart there."""
    shortest = min(len(story.sentences) for story in stories)
    if shortest < needed:
        (name, value), = given.items()
        raise ValueError(f"{name} must leave something of a story of {shortest}, got {value}")


def _joined(sentences: Sequence[Words]) -> Words:
    return tuple(word for sentence in sentences for word in sentence)


def _told_again(grammar: Grammar, story: Story, cut: int, fillers: dict, draw) -> Words:
    """Tell the rest of a story with other fillers; slots that those lack are drawn anew."""
    words, fillers = [], dict(fillers)
    units = (unit for sentence in story.units[cut:] for unit in sentence)
    shown = (word for sentence in story.sentences[cut:] for word in sentence)
    for unit, word in zip(units, shown, strict=True):
        if unit.startswith("@"):
            choices = words_of(grammar, unit, fillers)
            word = fillers.setdefault(unit[1:], choices[int(draw() * len(choices))])
        words.append(word)
    return tuple(words)


def worlds_after(grammar: Grammar, n_sentences: int) -> dict:
    """Return the worlds that stories are in after some sentences, with their probabilities."""
    require_whole(0, n_sentences=n_sentences)
    found: dict = {}
    level = next(islice(states_by_length(grammar), n_sentences, None), None)
    if level is None:
        raise ValueError(f"no story goes on after {n_sentences} sentences")
    for (world, _), p in level.items():
        found[world] = found.get(world, 0.0) + p
    return found


def _probability(grammar: Grammar, worlds: dict, fillers: dict, words: Words, ends: bool) -> float:
    """Return the probability that ``words`` come next, when one of some worlds holds."""
    shown = tuple(sorted(fillers.items()))
    beliefs: Beliefs = {Hypothesis(grammar.tree(w), shown): p for w, p in worlds.items()}
    for word in words:
        beliefs = advance(grammar, beliefs, word)
    return sum((over(grammar, beliefs) if ends else beliefs).values())


def follows(
    grammar: Grammar, first: Words, second: Words, cut: int = 2, same_names: bool = False
) -> float:
    """Return the probability that the second part belongs to the first, when half of them do.

    Args:
        first: the first ``cut`` sentences of a story.
        second: the rest of this story, or of another one.
        cut: as for :func:`next_sentence_pairs`, like ``same_names``.

    Raises:
        ValueError: if the first part is not the beginning of a story, ``cut`` sentences long.
    """
    reading = read(grammar, first)
    if len(reading.nats) < len(first) or len(reading.worlds) != cut + 1:
        raise ValueError(f"first must be {cut} sentences that begin a story, got {first}")
    after = {reading.worlds[-1]: 1.0}
    right = _probability(grammar, after, reading.fillers, second, ends=True)
    if right == 0:
        return 0.0
    fillers = reading.fillers if same_names else {}
    wrong = _probability(grammar, worlds_after(grammar, cut), fillers, second, ends=True)
    return right / (right + wrong)


def order_pairs(grammar: Grammar, n_pairs: int, seed: int, skip: int = 2) -> list[Pair]:
    """Take two neighbouring sentences of each story; every other pair is swapped.

    Args:
        skip: sentences of the story before them.
    """
    require_whole(2, n_pairs=n_pairs)
    require_whole(0, skip=skip)
    pairs = []
    for number, story in enumerate(tell(n_pairs, seed, grammar)):
        _require_length(skip=skip, needed=skip + 2, stories=(story,))
        one, two = story.sentences[skip : skip + 2]
        swapped = number % 2 == 1
        pairs.append(Pair(two, one, False) if swapped else Pair(one, two, True))
    return pairs


def in_order(grammar: Grammar, first: Words, second: Words, skip: int = 2) -> float:
    """Return the probability that two sentences stand as they stood in the story."""
    first, second = tuple(first), tuple(second)
    worlds = worlds_after(grammar, skip)
    right = _probability(grammar, worlds, {}, first + second, ends=False)
    swapped = _probability(grammar, worlds, {}, second + first, ends=False)
    if right + swapped == 0:
        raise ValueError(f"first and second must be neighbours, got {first} and {second}")
    return right / (right + swapped)


def bayes_accuracy(beliefs: Sequence[float]) -> tuple[float, float]:
    """Average the chance that the likelier answer is right: the mean and its standard error."""
    return mean_and_error([[max(p, 1 - p)] for p in beliefs])
