"""What two bags of words tell, and what they do not."""

import pytest

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.order import Pair, next_sentence_pairs
from course_lib.experiments.word_bags import bag_accuracy, bag_features, fit_bags

HAT = Pair(("Tom", "had", "a", "red", "hat", "."), ("Tom", "had", "the", "hat", "."), True)


def test_features_say_who_holds_a_word():
    words = everyday_stories().vocabulary
    (row,) = bag_features([HAT])
    first, second, both = (row[i * len(words) : (i + 1) * len(words)] for i in range(3))
    assert {words[i] for i in first.nonzero().flatten()} == {"a", "red"}
    assert {words[i] for i in second.nonzero().flatten()} == {"the"}
    assert {words[i] for i in both.nonzero().flatten()} == {"Tom", "had", "hat", "."}
    assert row[3 * len(words) :].nonzero().flatten().tolist() == [2]  # Tom and the hat


def test_the_order_of_words_is_not_seen():
    turned = Pair(HAT.first[::-1], HAT.second[::-1], True)
    assert (bag_features([HAT]) == bag_features([turned])).all()


def test_bags_tell_another_story_and_hardly_one_with_the_same_cast():
    grammar = everyday_stories()
    found = []
    for same_names in (False, True):
        learnt, asked = (
            next_sentence_pairs(grammar, 400, seed, same_names=same_names) for seed in (1, 2)
        )
        found.append(bag_accuracy(fit_bags(learnt), asked))
    assert found[0] > 0.9 and 0.5 < found[1] < 0.75


def test_no_pair_is_an_error():
    with pytest.raises(ValueError, match="pairs must hold at least one pair"):
        fit_bags([])
