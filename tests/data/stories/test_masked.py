import math
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import (
    MASK,
    Corruption,
    corrupt,
    masked_floor,
    mean_and_error,
    posteriors,
)
from course_lib.data.stories.sampling import tell


def brute_force(texts, seen, position, how):
    """Weigh every story of the right length by how likely it is to look like this."""
    found = defaultdict(float)
    stay = 1 - how.masked - how.replaced
    for text, p in texts.items():
        if len(text) != len(seen):
            continue
        for at, (said, shown) in enumerate(zip(text, seen, strict=True)):
            selected = how.masked if shown == MASK else (
                stay * (said == shown) + how.replaced / how.n_words)  # fmt: skip
            share = 1 if at == position else how.selected
            p *= share * selected + (1 - share) * (said == shown)
        found[text[position]] += p
    total = sum(found.values())
    return {word: p / total for word, p in found.items() if p > 0}


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_masks_alone(data, listed):
    how = Corruption(len(listed.grammar.vocabulary), selected=0.3, masked=1, replaced=0)
    text = data.draw(st.sampled_from(sorted(listed.texts)))
    hidden = data.draw(st.sets(st.integers(0, len(text) - 1), min_size=1, max_size=len(text)))
    seen = [MASK if at in hidden else word for at, word in enumerate(text)]
    positions = sorted(hidden)[:2]
    found = posteriors(listed.grammar, seen, positions, how, prune=0)
    for position, posterior in zip(positions, found, strict=True):
        assert sum(posterior.values()) == pytest.approx(1)
        wanted = brute_force(listed.texts, seen, position, how)
        assert posterior == pytest.approx(wanted, rel=1e-9, abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_masks_and_false_words(data, tiny):
    how = Corruption(len(tiny.grammar.vocabulary))
    text = data.draw(st.sampled_from(sorted(tiny.texts)))
    tokens = st.sampled_from((MASK, *tiny.grammar.vocabulary))
    seen = list(text)
    for at in data.draw(st.sets(st.integers(0, len(text) - 1), max_size=5)):
        seen[at] = data.draw(tokens)
    position = data.draw(st.integers(0, len(text) - 1))
    (found,) = posteriors(tiny.grammar, seen, [position], how, prune=0)
    wanted = brute_force(tiny.texts, seen, position, how)
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-14)


def test_every_position_of_a_story_that_shows_all_its_words(tiny):
    how = Corruption(len(tiny.grammar.vocabulary))
    text = max(tiny.texts, key=lambda text: ("ran" in text, len(text), text))
    for false in (None, 1):
        seen = list(text)
        if false is not None:
            seen[false] = "zoo"
        found = posteriors(tiny.grammar, seen, range(len(seen)), how, prune=0)
        for position, posterior in enumerate(found):
            wanted = brute_force(tiny.texts, seen, position, how)
            assert posterior == pytest.approx(wanted, rel=1e-9, abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_where_a_sentence_begins_may_be_known(data, tiny):
    how = Corruption(len(tiny.grammar.vocabulary), selected=0.3)
    sentences = data.draw(st.sampled_from(sorted(s for s in tiny.stories if len(s) > 1)))
    words, first = sum(sentences, ()), len(sentences[0])
    allowed = {sum(s, ()): p for s, p in tiny.stories.items()
               if first in [len(sum(s[:k], ())) for k in range(len(s))]}  # fmt: skip
    hidden = data.draw(st.sets(st.integers(0, len(words) - 1), min_size=2, max_size=6))
    seen = [MASK if at in hidden else word for at, word in enumerate(words)]
    positions = sorted(hidden)[:2]
    found = posteriors(tiny.grammar, seen, positions, how, prune=0, breaks=(first,))
    for position, posterior in zip(positions, found, strict=True):
        wanted = brute_force(allowed, seen, position, how)
        assert posterior == pytest.approx(wanted, rel=1e-9, abs=1e-14)


def test_pruning_changes_next_to_nothing(grammar):
    how = Corruption(len(grammar.vocabulary))
    for number, story in enumerate(tell(4, 11)):
        seen, positions = corrupt(story.words, grammar.vocabulary, how, number)
        rough, fine = (
            posteriors(grammar, seen, positions[:3], how, prune) for prune in (1e-7, 1e-10)
        )
        for one, other in zip(rough, fine, strict=True):
            assert all(abs(one.get(word, 0) - p) < 1e-4 for word, p in other.items())


def test_how_often_words_are_corrupted(grammar):
    how = Corruption(len(grammar.vocabulary), selected=0.4, masked=0.5, replaced=0.3)
    words = ["the"] * 20_000
    seen, positions = corrupt(words, grammar.vocabulary, how, 0)
    n = len(positions)
    assert n / len(words) == pytest.approx(0.4, abs=0.015)
    assert sum(seen[at] == MASK for at in positions) / n == pytest.approx(0.5, abs=0.025)
    others = [seen[at] for at in positions if seen[at] not in (MASK, "the")]
    assert len(others) / n == pytest.approx(0.3 * (1 - 1 / how.n_words), abs=0.025)
    assert len(set(others)) == how.n_words - 1
    assert all(seen[at] == "the" for at in set(range(len(words))) - set(positions))
    assert corrupt(words, grammar.vocabulary, how, 0) == (seen, positions)


def test_floor_of_the_list_is_reached(tiny):
    """All stories of the tiny grammar, each corrupted once: surprise and entropy agree."""
    how = Corruption(len(tiny.grammar.vocabulary), selected=0.3, masked=1, replaced=0)
    stories = tell(400, 0, tiny.grammar)
    n_words = sum(len(story.words) for story in stories)
    found = masked_floor(tiny.grammar, stories, how, 0)
    assert abs(found.loss - found.entropy) < 4 * math.hypot(found.loss_error, found.entropy_error)
    assert 0.2 < found.loss_error * found.n_positions**0.5 / found.loss < 5
    assert 0 < found.entropy < math.log(how.n_words)
    assert found.n_positions == pytest.approx(0.3 * n_words, rel=0.1)


def test_nothing_hidden_nothing_to_score(tiny):
    how = replace(Corruption(len(tiny.grammar.vocabulary)), selected=0.0)
    with pytest.raises(ValueError, match="at least one number"):
        masked_floor(tiny.grammar, tell(3, 0, tiny.grammar), how, 0)
    with pytest.raises(ValueError, match="stories must be 2 or more, got 1"):
        masked_floor(tiny.grammar, tell(1, 0, tiny.grammar), how, 0)


def test_mean_and_error():
    assert mean_and_error([[1.0], [3.0], [5.0], [7.0]]) == pytest.approx((4, math.sqrt(20 / 12)))
    # Rows of equal entries count once each, however long they are.
    assert mean_and_error([[1.0] * 9, [3.0] * 9]) == pytest.approx((2, 1))


def test_a_story_that_cannot_be(tiny):
    how = Corruption(len(tiny.grammar.vocabulary), masked=1, replaced=0)
    with pytest.raises(ValueError, match="seen must be a story that the grammar can tell"):
        posteriors(tiny.grammar, [MASK, "zoo", "zoo"], [0], how)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"selected": 1.5}, r"selected must lie in \[0, 1\], got 1.5"),
        ({"masked": 0.8, "replaced": 0.3}, r"masked \+ replaced must be <= 1"),
        ({"n_words": 0}, "n_words must be a whole number >= 1, got 0"),
    ],
)
def test_wrong_corruption(fields, message):
    with pytest.raises(ValueError, match=message):
        Corruption(**{"n_words": 9, **fields})


def test_vocabulary_of_another_size():
    with pytest.raises(ValueError, match="vocabulary must hold n_words = 9, got 1"):
        corrupt(["a"], ["a"], Corruption(9), 0)


@pytest.mark.parametrize("positions", [[2, 0], [2, 2], [-1], [99], [1.0]])
def test_positions_that_would_answer_for_others_are_named(positions, unchecked):
    grammar, story = everyday_stories(), tell(1, 0)[0]
    with pytest.raises((TypeError, ValueError), match="positions"):
        posteriors(grammar, story.words, positions, Corruption(len(grammar.vocabulary)))


@pytest.mark.parametrize("prune", [-1, 1, math.nan, True])
def test_what_is_pruned_is_a_share(prune, unchecked):
    grammar, story = everyday_stories(), tell(1, 0)[0]
    with pytest.raises((TypeError, ValueError), match="prune must"):
        posteriors(grammar, story.words, [], Corruption(len(grammar.vocabulary)), prune)


@pytest.mark.parametrize("share", [True, "0.1"])
def test_shares_are_numbers(share, unchecked):
    with pytest.raises(TypeError, match="selected must be a number"):
        Corruption(10, selected=share)
