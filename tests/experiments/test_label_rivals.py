import pytest
import torch

from course_lib.data.stories.nicknames import Tagged
from course_lib.data.stories.questions import Question
from course_lib.data.story_labels import ANSWER, NAMES, PAIR, SINGLE, story_labels
from course_lib.experiments.label_rivals import (
    bag_score,
    fit_bag,
    most_frequent,
    place_score,
    rival_of,
    rival_score,
    table_score,
)

pytestmark = pytest.mark.usefixtures("unchecked")


def asked(n_words, start, stop):
    return Question(("w",) * n_words, ("q",), start, stop)


def test_the_usual_place_from_the_beginning_or_from_the_end():
    from_end = [asked(10, 8, 9), asked(20, 18, 19), asked(30, 28, 29), asked(10, 2, 3)]
    assert place_score(from_end, [asked(40, 38, 39), asked(40, 8, 9)]) == 0.5
    from_start = [asked(10, 2, 4), asked(20, 2, 4), asked(30, 1, 2)]
    test = [asked(40, 2, 4), asked(40, 2, 3), asked(9, 2, 4)]
    assert place_score(from_start, test) == pytest.approx(2 / 3)


def test_the_table_counts_tags_and_scores_names_alone():
    train = [Tagged(("kite", "the", "kite"), ("person", "outside", "object")),
             Tagged(("kite",), ("object",))]  # fmt: skip
    test = [Tagged(("kite", "kite", "the", "park"), ("person", "object", "outside", "place"))]
    assert table_score(train, test) == pytest.approx(1 / 3)  # park was never seen


def test_a_bag_finds_what_words_tell_and_nothing_of_their_order():
    train, test = story_labels(SINGLE, 300, 1), story_labels(SINGLE, 200, 2)
    assert 0.42 < bag_score(fit_bag(train, 1e-3), test) < 0.8
    labels = train.texts.rows.labels
    assert most_frequent(labels) == pytest.approx(0.5, abs=0.02)
    assert bag_score(fit_bag(train, 1e-5), train) > bag_score(fit_bag(train, 10.0), train)


def test_every_task_has_a_rival():
    assert [rival_of(task) for task in (PAIR, SINGLE, ANSWER, NAMES)] == [
        "bag of words", "bag of words", "usual place", "table of words",
    ]  # fmt: skip
    for task in (PAIR, SINGLE, ANSWER, NAMES):
        parts = [story_labels(task, 60, seed) for seed in (1, 2, 3)]
        torch.manual_seed(0)
        first = rival_score(*parts)
        torch.manual_seed(1)
        assert 0 <= first <= 1 and rival_score(*parts) == first
