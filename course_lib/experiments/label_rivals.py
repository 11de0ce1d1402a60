"""Simple rivals of fine-tuning: bags of words, usual places, tables of words (lesson 63)."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from course_lib.data.stories.claims import Claim
from course_lib.data.stories.nicknames import Tagged
from course_lib.data.stories.order import Pair
from course_lib.data.stories.questions import OUTSIDE, Question
from course_lib.data.story_labels import ANSWER, NAMES, StoryLabels
from course_lib.experiments.logistic_regression import fit_layer
from course_lib.experiments.word_bags import bag_features

DECAYS = (1e-4, 1e-3, 1e-2)
BAG, PLACE, TABLE = "bag of words", "usual place", "table of words"


def rival_of(task: str) -> str:
    """Name the rival that a task has."""
    return {ANSWER: PLACE, NAMES: TABLE}.get(task, BAG)


def rival_score(train: StoryLabels, choice: StoryLabels, measured_on: StoryLabels) -> float:
    """Let the rival of a task learn, and return its share of right answers.

    Args:
        choice: labels on which the pull of a bag's weights towards 0 is chosen; the others have
            nothing to choose.
    """
    if train.task == ANSWER:
        return place_score(train.examples, measured_on.examples)
    if train.task == NAMES:
        return table_score(train.examples, measured_on.examples)
    bags = [fit_bag(train, decay) for decay in DECAYS]
    return bag_score(max(bags, key=lambda bag: bag_score(bag, choice)), measured_on)


def fit_bag(train: StoryLabels, decay: float) -> nn.Linear:
    """Fit a logistic regression on which words each part holds and how many both share.

    Args:
        decay: pull of the weights towards 0, against learning single texts by heart.
    """
    labels, n_answers = train.texts.rows.labels, len(train.answers)
    return fit_layer(_bags(train), labels, n_answers, decay, max_iter=100)


def bag_score(model: nn.Linear, labels: StoryLabels) -> float:
    """Return the share of texts that a bag of words judges rightly."""
    return _share(model(_bags(labels)).argmax(-1) == labels.texts.rows.labels)


def _bags(labels: StoryLabels) -> Float[Tensor, "text feature"]:
    """Describe texts by their words alone; a single sentence is a pair without a second part."""
    parts = ((e.story, e.claim) if isinstance(e, Claim) else (e.words, ()) for e in labels.examples)
    return bag_features([Pair(first, second, True) for first, second in parts])


def place_score(train: Sequence[Question], measured_on: Sequence[Question]) -> float:
    """Answer each question with the words that stand where the answer most often stands.

    Places are counted from the story's beginning or from its end, whichever is right more often
    in training.
    """
    counted = [Counter(_place(asked, from_end) for asked in train) for from_end in (False, True)]
    usual = [places.most_common(1)[0] for places in counted]
    from_end = usual[1][1] > usual[0][1]
    place = usual[from_end][0]
    return _share(torch.tensor([_place(asked, from_end) == place for asked in measured_on]))


def _place(asked: Question, from_end: bool) -> tuple[int, int]:
    """Where an answer begins and stops."""
    n = len(asked.story) if from_end else 0
    return asked.start - n, asked.stop - n


def table_score(train: Sequence[Tagged], measured_on: Sequence[Tagged]) -> float:
    """Give each word the tag that it had most often; the score is over words that are named."""
    seen: dict[str, Counter] = defaultdict(Counter)
    for tagged in train:
        for word, tag in zip(tagged.words, tagged.tags, strict=True):
            seen[word][tag] += 1
    table = {word: tags.most_common(1)[0][0] for word, tags in seen.items()}
    pairs = [pair for t in measured_on for pair in zip(t.words, t.tags, strict=True)]
    right = [table.get(word, OUTSIDE) == tag for word, tag in pairs if tag != OUTSIDE]
    return _share(torch.tensor(right))


def _share(right: Tensor) -> float:
    return right.double().mean().item()


def most_frequent(labels: Int64[Tensor, " text"]) -> float:
    """The share of the commonest label: what one who reads nothing at all may reach."""
    return labels.bincount().max().item() / len(labels)
