"""Shared words: counted by hand, and what they are worth in each task."""

import pytest
import torch

from course_lib.data.pairs import OTHER_TEXT, SAME_TEXT, SentencePair
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.sampling import tell
from course_lib.experiments.word_overlap import (
    SWAPPED,
    accuracy,
    majority,
    make_pairs,
    overlap,
    pieces,
    shared_words,
)


def test_pieces_are_pairs_of_sentences():
    for story in tell(20, 3):
        cut = pieces(story)
        assert len(cut) == len(story.sentences) // 2
        assert sum(cut, ()) == story.words[: sum(map(len, cut))]


def test_closed_words_do_not_count_and_each_word_counts_once():
    first = tuple("Tom had a red ball . Tom ate .".split())
    second = tuple("Tom took the red kite . he had a ball .".split())
    assert shared_words(everyday_stories(), SentencePair(first, second, 0)) == 3


def test_majority_and_accuracy_by_hand():
    answers = majority([0, 0, 0, 2, 2, 3], [1, 1, 0, 0, 0, 1])
    assert answers == {0: 1, 2: 0, 3: 1}
    assert accuracy([0, 2, 3, 9], [1, 1, 1, 0], answers) == 0.75


def test_what_counting_is_worth():
    found = {task: overlap(task, 500).accuracy for task in (OTHER_TEXT, SAME_TEXT, SWAPPED)}
    assert found[OTHER_TEXT] > 0.85
    assert found[SAME_TEXT] < 0.65 and abs(found[SWAPPED] - 0.5) < 0.08


def test_half_of_the_pairs_are_wrong_in_each_task():
    texts = [["a", "b", "c"], ["d", "e", "f"]] * 200
    for task in (OTHER_TEXT, SAME_TEXT, SWAPPED):
        pairs = make_pairs(task, texts, torch.Generator().manual_seed(0))
        assert sum(pair.label for pair in pairs) / len(pairs) == pytest.approx(0.5, abs=0.06)


def test_bad_task():
    with pytest.raises(ValueError, match="task must be one of"):
        make_pairs("guess", [["a", "b"]], torch.Generator())
