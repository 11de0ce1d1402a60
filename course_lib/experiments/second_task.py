"""Does B follow A?  A trained BERT, a bag of words and the perfect reader (lesson 62)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from course_lib.config import require_whole
from course_lib.data.randomness import generator_for
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.story_floors import EVERYDAY_NEXT, EVERYDAY_ORDER, EVERYDAY_OTHER
from course_lib.data.story_pairs import (
    StoryPairs,
    next_part_pairs,
    sentence_order_pairs,
    story_masking,
)
from course_lib.experiments.word_bags import bag_accuracy, fit_bags
from course_lib.models.bert import BertPretraining
from course_lib.training.pretraining import grade, hide

OTHER_STORY, SAME_CAST, SWAPPED = WRONG = (
    "B from another story", "B told with A's cast", "two sentences swapped",
)  # fmt: skip
TO_LEARN = 3000  # pairs, for the bag of words
PERFECT = {OTHER_STORY: EVERYDAY_OTHER, SAME_CAST: EVERYDAY_NEXT, SWAPPED: EVERYDAY_ORDER}


@dataclass(frozen=True)
class SecondTask:
    """Shares of right answers to one kind of question.

    Attributes:
        model: of the model, on held-out pairs without any masks.
        bag: of a logistic regression over which words occur in which part.
        perfect: of one who knows the grammar and how the pairs were made, expected.
    """

    wrong: str
    model: float
    bag: float
    perfect: float


def second_task(model: BertPretraining, wrong: str, n_pairs: int = 300) -> SecondTask:
    """Put held-out pairs to all three; the bag of words learns from others first.

    Args:
        wrong: what the wrong pairs are, one of ``WRONG``.
    """
    require_whole(2, n_pairs=n_pairs)
    pairs = pairs_of(wrong, n_pairs)
    masking = story_masking(rate=0.0)
    batch = hide(pairs.validation.rows, masking, generator_for(0, 0, "none"))
    right = grade(model, batch, masking.mask_id, 50).pair_right
    answered = right.double().mean().item()
    return SecondTask(wrong, answered, bag(wrong, n_pairs), PERFECT[wrong].accuracy)


@cache
def pairs_of(wrong: str, n_pairs: int, seed: int = 62) -> StoryPairs:
    """Make pairs of one kind, none of which a training has used."""
    if wrong not in WRONG:
        raise ValueError(f"wrong must be one of {WRONG}, got {wrong!r}")
    if wrong == SWAPPED:
        return sentence_order_pairs(2, n_pairs, seed)
    return next_part_pairs(2, n_pairs, seed, same_names=wrong == SAME_CAST)


def brings_new_things(wrong: str) -> dict[str, float]:
    """Return in which share of right and of wrong pairs B names a thing or food that A has not."""
    found = {"right pairs": [], "wrong pairs": []}
    for pair in pairs_of(wrong, TO_LEARN, seed=63).held_out:
        new = _things(pair.second) - _things(pair.first)
        found["right pairs" if pair.follows else "wrong pairs"].append(bool(new))
    return {kind: sum(news) / len(news) for kind, news in found.items()}


def _things(words: Sequence[str]) -> set[str]:
    """The words that name a thing or a food."""
    class_of = everyday_stories().class_of_word
    return {word for word in words if class_of.get(word) in ("thing", "food")}


@cache
def bag(wrong: str, n_pairs: int) -> float:
    """Return what a bag of words reaches."""
    learnt = fit_bags(pairs_of(wrong, TO_LEARN, seed=63).held_out)
    return bag_accuracy(learnt, pairs_of(wrong, n_pairs).held_out)
