import math
from collections import Counter

import pytest

from course_lib.data.stories.entropy import floor, states_by_length, token_kinds


def test_the_list_is_complete(listed):
    assert sum(listed.texts.values()) == pytest.approx(1, abs=1e-12)
    assert 20 < len(listed.texts) < 100_000


def test_floor_is_the_entropy_of_the_list(listed):
    found = floor(listed.grammar)
    entropy = -sum(p * math.log(p) for p in listed.texts.values())
    length = sum(p * len(text) for text, p in listed.texts.items())
    assert found.nats_per_story == pytest.approx(entropy, rel=1e-12)
    assert found.words_per_story == pytest.approx(length, rel=1e-12)
    assert found.nats_per_word == pytest.approx(entropy / length, rel=1e-12)


def test_floor_of_each_kind_of_token(listed):
    nats, words = Counter(), Counter()
    for text, p in listed.texts.items():
        for at, kind in enumerate(token_kinds(listed.grammar, text)):
            ratio = listed.beginnings[text[: at + 1]] / listed.beginnings[text[:at]]
            nats[kind] -= p * math.log(ratio)
            words[kind] += p
    found = floor(listed.grammar)
    assert found.words == pytest.approx(dict(words), rel=1e-11)
    assert found.nats == pytest.approx(dict(nats), rel=1e-11, abs=1e-12)
    assert found.of("closed word") == pytest.approx(nats["closed word"] / words["closed word"])


def test_states_are_counted_until_the_story_is_over(tiny):
    mass = [sum(level.values()) for level in states_by_length(tiny.grammar)]
    longer = [sum(p for s, p in tiny.stories.items() if len(s) > n) for n in range(len(mass))]
    assert mass == pytest.approx(longer)


def test_kinds_of_tokens(grammar):
    words = "Tom had a red ball . Mia took the red ball from Tom . purple".split()
    first, closed = "first mention", "closed word"
    assert token_kinds(grammar, words) == [
        first, closed, closed, first, first, closed,
        first, closed, closed, "quality", "object", closed, "name", closed, closed,
    ]  # fmt: skip
