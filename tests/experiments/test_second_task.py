"""Three readers of pairs: each is scored on the same held-out ones."""

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments import second_task as module
from course_lib.experiments.second_task import (
    OTHER_STORY,
    SAME_CAST,
    SWAPPED,
    WRONG,
    pairs_of,
    perfect_accuracy,
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
    monkeypatch.setattr(module, "rivals", lambda wrong, n_pairs: (0.6, 0.9))
    for answer in (0, 1):
        found = second_task(says_always(answer), wrong, N)
        assert found.model == 0.5 and (found.bag, found.perfect) == (0.6, 0.9)


def test_the_perfect_reader_is_surest_of_another_story():
    other, same, swapped = (perfect_accuracy(wrong, N) for wrong in WRONG)
    assert other > 0.99 and 0.85 < same < 0.99 and 0.85 < swapped < 0.99


def test_pairs_to_learn_from_are_none_of_those_asked_about():
    for wrong in (OTHER_STORY, SAME_CAST, SWAPPED):
        asked = {(pair.first, pair.second) for pair in pairs_of(wrong, N).held_out}
        learnt = {(pair.first, pair.second) for pair in pairs_of(wrong, N, seed=63).held_out}
        assert not asked & learnt


def test_bad_input():
    with pytest.raises(ValueError, match="wrong must be one of"):
        pairs_of("another", N)
