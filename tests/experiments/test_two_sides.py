"""The two perfect readers of lesson 41 agree with the grammar, and with each other at the end."""

import math

import pytest

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import read, surprises
from course_lib.experiments.masking_statistics import one_story
from course_lib.experiments.two_sides import fill_in, mean_surprises, two_sides, with_next


@pytest.mark.parametrize("place", [1, 2, 10, 22, 42])
def test_both_answers_are_probabilities_of_the_right_word_among_others(place):
    data = two_sides(place)
    word = one_story()[place - 1]
    for answer in (data.before, data.both):
        assert sum(answer.values()) == pytest.approx(1) and answer[word] > 0
    assert set(data.both) <= set(data.before)  # more was read, so no more is possible


def test_both_sides_by_bayes_rule():
    """p(word | both sides) is in proportion to the probability of the story with that word."""
    grammar, words = everyday_stories(), one_story()
    place = 22
    told = {}
    for word in two_sides(place).before:
        story = [*words[: place - 1], word, *words[place:]]
        if read(grammar, story).impossible is None:
            told[word] = math.exp(-sum(surprises(grammar, story)))
    total = sum(told.values())
    expected = {word: p / total for word, p in told.items()}
    assert two_sides(place).both == pytest.approx(expected)


def test_two_gaps_are_asked_for_at_once():
    first, again = fill_in(everyday_stories(), one_story(), [1, 35])
    assert first == pytest.approx(dict.fromkeys(first, 1 / 8)) and again == pytest.approx(first)
    assert fill_in(everyday_stories(), one_story(), [1])[0] == pytest.approx({"foggy": 1.0})


def test_both_sides_cost_less_on_average():
    means = mean_surprises(3, seed=5)
    assert len(means.before) == len(means.both) == len(means.one_ahead) == 3
    readers = zip(means.both, means.one_ahead, means.before, strict=True)
    assert all(0 <= both < one_ahead < before for both, one_ahead, before in readers)


def test_one_word_ahead_is_both_sides_where_one_word_is_left():
    grammar, words = everyday_stories(), one_story()
    for at in (len(words) - 2, len(words) - 1):
        assert with_next(grammar, words, at) == pytest.approx(
            fill_in(grammar, words, [at])[0][words[at]]
        )


def test_places_count_from_1():
    with pytest.raises(ValueError, match="place must be a whole number >= 1, got 0"):
        two_sides(0)
