"""Three readers of pairs: each is scored on the same held-out ones."""

from types import SimpleNamespace

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.stories.order import Pair
from course_lib.data.story_floors import (
    EVERYDAY_NEXT,
    EVERYDAY_ORDER,
    next_beliefs,
    score_pairs,
)
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments import second_task as module
from course_lib.experiments.second_task import (
    OTHER_STORY,
    PERFECT,
    SAME_CAST,
    SWAPPED,
    WRONG,
    bag,
    brings_new_things,
    pairs_of,
    second_task,
)
from course_lib.models.bert import BertPretraining

N = 40


def says_always(answer):
    model = BertPretraining(BertConfig(len(story_tokenizer().vocabulary), 96, 8, 1, 1))
    with torch.no_grad():
        model.nsp_head.dense.weight.zero_()
        model.nsp_head.dense.bias.copy_(torch.tensor([1.0 - answer, answer * 1.0]))
    return model


@pytest.mark.parametrize("wrong", WRONG)
def test_one_answer_is_right_for_half_of_the_pairs(wrong, monkeypatch):
    monkeypatch.setattr(module, "bag", lambda wrong, n_pairs: 0.6)
    for answer in (0, 1):
        found = second_task(says_always(answer), wrong, N)
        assert found.model == 0.5 and (found.bag, found.perfect) == (0.6, PERFECT[wrong].accuracy)


def test_what_is_kept_of_another_story_is_what_is_computed():
    pairs = pairs_of(OTHER_STORY, 40).held_out
    found = score_pairs(next_beliefs(pairs, same_names=False))
    kept = PERFECT[OTHER_STORY]
    assert found.accuracy == pytest.approx(kept.accuracy, abs=0.002)
    assert found.loss == pytest.approx(kept.loss, abs=0.005)
    assert PERFECT[SAME_CAST] is EVERYDAY_NEXT and PERFECT[SWAPPED] is EVERYDAY_ORDER


def test_a_bag_solves_one_task_alone(monkeypatch):
    monkeypatch.setattr(module, "TO_LEARN", 600)
    bag.cache_clear()
    assert bag(OTHER_STORY, 100) > 0.9 > 0.75 > bag(SAME_CAST, 100)
    bag.cache_clear()


def test_pairs_to_learn_from_are_none_of_those_asked_about():
    for wrong in (OTHER_STORY, SAME_CAST, SWAPPED):
        asked = {(pair.first, pair.second) for pair in pairs_of(wrong, N).held_out}
        learnt = {(pair.first, pair.second) for pair in pairs_of(wrong, N, seed=63).held_out}
        assert not asked & learnt


def test_bad_input():
    with pytest.raises(ValueError, match="wrong must be one of"):
        pairs_of("another", N)


def test_what_is_new_in_b_is_counted_for_each_kind_of_pair(monkeypatch):
    def pair(first, second, follows):
        return Pair(first.split(), second.split(), follows)

    made = [
        pair("Kate had a map .", "she lost the map .", True),
        pair("Kate had a map .", "she lost the pie .", False),
        pair("Kate had a map .", "Hugo found the map .", False),
    ]
    monkeypatch.setattr(module, "pairs_of", lambda *a, **k: SimpleNamespace(held_out=made))
    assert brings_new_things(SAME_CAST) == {"right pairs": 0.0, "wrong pairs": 0.5}
