import math
from collections import defaultdict

import pytest

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.order import (
    bayes_accuracy,
    follows,
    in_order,
    next_sentence_pairs,
    order_pairs,
    worlds_after,
)
from course_lib.data.stories.reading import read


def joined(sentences):
    return tuple(word for sentence in sentences for word in sentence)


def cut_in_two(stories, cut):
    """Probabilities of first parts, of second parts, and of both together."""
    firsts, seconds, both = defaultdict(float), defaultdict(float), defaultdict(float)
    for sentences, p in stories.items():
        one, two = joined(sentences[:cut]), joined(sentences[cut:])
        firsts[one] += p
        seconds[two] += p
        both[one, two] += p
    return firsts, seconds, both


def test_next_sentence_by_counting(tiny):
    firsts, seconds, both = cut_in_two(tiny.stories, 1)
    for one, two in list(both)[::40]:
        right, wrong = both[one, two] / firsts[one], seconds[two]
        found = follows(tiny.grammar, one, two, cut=1)
        assert found == pytest.approx(right / (right + wrong))


def test_next_sentence_that_cannot_follow(tiny):
    firsts, seconds, both = cut_in_two(tiny.stories, 1)
    pairs = [(a, b) for a in list(firsts)[::5] for b in list(seconds)[::40] if (a, b) not in both]
    assert len(pairs) > 5
    assert {follows(tiny.grammar, a, b, cut=1) for a, b in pairs} == {0.0}


def test_bayes_accuracy_by_counting(tiny):
    firsts, seconds, both = cut_in_two(tiny.stories, 1)
    overlap = sum(min(p, firsts[one] * seconds[two]) for (one, two), p in both.items())
    pairs = next_sentence_pairs(tiny.grammar, 600, 0, cut=1)
    mean, error = bayes_accuracy([follows(tiny.grammar, p.first, p.second, 1) for p in pairs])
    assert abs(mean - (1 - overlap / 2)) < 4 * error
    assert 0 < error < 0.03


@pytest.mark.parametrize("same_names", [False, True])
def test_posteriors_keep_their_promise(grammar, same_names):
    """Of the pairs that are said to belong together with probability p, a share p does."""
    pairs = next_sentence_pairs(grammar, 150, 1, cut=1, same_names=same_names)
    beliefs = [follows(grammar, p.first, p.second, 1, same_names) for p in pairs]
    gap = sum(belief - pair.follows for belief, pair in zip(beliefs, pairs, strict=True))
    assert abs(gap) < 4 * math.sqrt(sum(b * (1 - b) for b in beliefs)) + 1e-9
    assert all(b > 0 for b, p in zip(beliefs, pairs, strict=True) if p.follows)
    mean, _ = bayes_accuracy(beliefs)
    assert (0.7 < mean < 0.92) if same_names else (mean > 0.98)


def test_same_names_are_the_same(grammar):
    pairs = next_sentence_pairs(grammar, 100, 3, cut=2, same_names=True)
    for pair in pairs:
        people = [w for w, c in grammar.class_of_word.items() if c in ("boy", "girl")]
        assert {w for w in pair.second if w in people} <= {w for w in pair.first if w in people}
        assert pair.second[-1] == "."


def test_order_by_counting(tiny):
    neighbours = defaultdict(float)
    for sentences, p in tiny.stories.items():
        if len(sentences) > 2:
            neighbours[sentences[1], sentences[2]] += p
    for one, two in list(neighbours)[::20]:
        right, swapped = neighbours[one, two], neighbours.get((two, one), 0.0)
        found = in_order(tiny.grammar, one, two, skip=1)
        assert found == pytest.approx(right / (right + swapped))


def test_order_of_everyday_stories(grammar):
    pairs = order_pairs(grammar, 100, 2)
    beliefs = [in_order(grammar, p.first, p.second) for p in pairs]
    wrong = sum((b > 0.5) != p.follows for b, p in zip(beliefs, pairs, strict=True))
    mean, error = bayes_accuracy(beliefs)
    assert 0.85 < mean < 0.98
    assert abs(1 - wrong / 100 - mean) < 4 * math.sqrt(mean * (1 - mean) / 100)


def test_worlds_after(grammar):
    assert sum(worlds_after(grammar, 2).values()) == pytest.approx(1)
    assert {world.told for world in worlds_after(grammar, 3)} == {3}


def test_what_is_no_first_part(grammar):
    pair = next_sentence_pairs(grammar, 2, 0)[0]
    with pytest.raises(ValueError, match="first must be 1 sentences that begin a story"):
        follows(grammar, pair.first, pair.second, cut=1)
    with pytest.raises(ValueError, match="first must be 2 sentences"):
        follows(grammar, pair.second, pair.first)
    assert read(grammar, pair.first).impossible == len(pair.first)


@pytest.mark.parametrize("cut", [0, -1, True, 8])
def test_a_cut_leaves_two_parts(cut, unchecked):
    with pytest.raises((TypeError, ValueError), match="cut must"):
        next_sentence_pairs(everyday_stories(), 4, 0, cut)


@pytest.mark.parametrize("skip", [-1, True, 8])
def test_two_sentences_are_left_after_those_skipped(skip, unchecked):
    with pytest.raises((TypeError, ValueError), match="skip must"):
        order_pairs(everyday_stories(), 4, 0, skip)


def test_no_story_is_that_long(tiny, unchecked):
    with pytest.raises(ValueError, match="no story goes on after 100 sentences"):
        worlds_after(tiny.grammar, 100)


def test_lists_of_words_will_do(unchecked):
    pair = order_pairs(everyday_stories(), 2, 0)[0]
    mixed = in_order(everyday_stories(), list(pair.first), pair.second)
    assert mixed == in_order(everyday_stories(), pair.first, pair.second)
