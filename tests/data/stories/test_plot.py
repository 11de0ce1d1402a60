import math

import pytest

from course_lib.data.stories.entropy import floor, states_by_length
from course_lib.data.stories.floors import EVERYDAY_FLOOR
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.patterns import class_of, forms
from course_lib.data.stories.reading import surprises
from course_lib.data.stories.sampling import tell
from course_lib.data.stories.words import SENTENCES
from course_lib.data.stories.world import Sentence, World, say


def test_size(grammar):
    kinds = {kind for story in tell(1000, 0) for kind in story.kinds}
    assert kinds == set(SENTENCES)
    assert len(kinds) >= 25
    assert len(grammar.vocabulary) >= 150
    assert {len(story.sentences) for story in tell(500, 0)} == {4, 5, 6, 7, 8}
    assert 0.4 < EVERYDAY_FLOOR.nats_per_word < 1.0


def test_every_word_is_one_entry_and_can_be_said(grammar):
    said = {word for story in tell(1000, 0) for word in story.words}
    assert said < set(grammar.vocabulary)
    assert set(grammar.vocabulary) - said == {"?", "did", "have", "what", "who"}  # of questions


def test_at_least_two_facts_are_told_again(grammar):
    """Names do not count, nor does what one sentence says twice."""
    for story in tell(500, 6):
        met, again = set(), set()
        for units in story.units:
            facts = {u for u in units if u[0] == "@" and class_of(u[1:]) not in ("boy", "girl")}
            again |= facts & met
            met |= facts
        assert len(again) >= 2, story.text


def test_the_stated_floor_is_the_computed_one(grammar):
    found = floor(grammar)
    assert found.nats == pytest.approx(EVERYDAY_FLOOR.nats, rel=1e-9, abs=1e-12)
    assert found.words == pytest.approx(EVERYDAY_FLOOR.words, rel=1e-9)


def test_stories_cost_what_the_floor_says(grammar):
    costs = [sum(surprises(grammar, story.words)) for story in tell(600, 8)]
    mean = sum(costs) / len(costs)
    error = math.sqrt(sum((c - mean) ** 2 for c in costs)) / len(costs)
    assert abs(mean - EVERYDAY_FLOOR.nats_per_story) < 4 * error
    assert error < 0.5


def test_the_text_tells_the_world(grammar):
    """What makes the floor exact: one way to read each beginning, one new place at a time."""
    for level, _ in zip(states_by_length(grammar), range(4), strict=False):
        assert len({world for world, _ in level}) == len(level)
        for world, said in level:
            places = {slot for slot in said if slot.startswith("place")}
            assert places == {f"place{n}" for n in range(world.places)}
            todo = [grammar.tree(world)]
            while todo:  # growing the tree raises when two sentences look alike
                node = todo.pop()
                assert sum(branch.probability for branch in node.branches) == pytest.approx(1)
                new = [b.unit for b in node.branches if b.unit[0] == "@" and b.unit[1:] not in said]
                assert len({class_of(unit[1:]) for unit in new}) == len(new)
                todo += [branch.node for branch in node.branches if branch.node is not None]


def test_names_may_be_exchanged(grammar):
    swap = {"Tom": "Ben", "Ben": "Tom", "Mia": "Zoe", "Zoe": "Mia", "park": "barn", "barn": "park"}
    for story in tell(30, 2):
        other = [swap.get(word, word) for word in story.words]
        assert surprises(grammar, other) == pytest.approx(surprises(grammar, story.words))


def test_nobody_is_preferred(grammar):
    """Boys and girls: the same story with the two exchanged is equally likely."""
    for world in (World(), World(told=1, boy="place0", girl="place1", places=2)):
        weights = {"boy": 0.0, "girl": 0.0}
        for sentence in grammar.sentences(world):
            first = [u[1:] for u in sentence.units if u in ("@boy", "@girl")]
            if first:
                weights[first[0]] += sentence.weight
        assert weights["boy"] == pytest.approx(weights["girl"])


def test_forms_of_a_sentence():
    found = forms("give", "girl", False, "thing")
    assert [" ".join(units) for _, units in found] == [
        "@girl gave the @thing to @boy .",
        "@girl gave the @colour @thing to @boy .",
    ]
    assert [share for share, _ in found] == pytest.approx([2 / 3, 1 / 3])
    ((_, units),) = forms("find", "boy", True, "food")
    assert " ".join(units) == "he found|bought a @taste @food ."
    units = forms("hungry", "boy", True, "food")[0][1]
    assert " ".join(units) == "@girl was hungry so @boy gave the @food to her ."


def test_saying_a_sentence_changes_the_world():
    before = World(told=2, boy="place0", thing="boy", places=1, asked=None, topic="girl")
    for sentence in say(before, 3, "drop", "boy", "thing", place="place0", thing="place0"):
        assert sentence.after == before._replace(told=3, thing="place0", topic="boy")
    assert sum(s.weight for s in say(before, 3, "look", "boy", "thing")) == pytest.approx(3)
    assert say(before, 1, "end time", "boy", ends=True)[0].after is None


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a b .", "a b ."], "no sentence may be the beginning of another"),
        (["a b", "a b c"], "no sentence may be the beginning of another"),
        (["a|b c .", "b d ."], "no word may fit two branches"),
    ],
)
def test_a_grammar_that_cannot_be_read_is_refused(texts, message):
    made = Grammar(
        lambda _: [Sentence(1, tuple(t.split()), None, t) for t in texts], 0, {}, "abcd."
    )
    with pytest.raises(ValueError, match=message):
        surprises(made, ("a", "b", "."))


def test_a_word_in_two_classes_is_refused():
    with pytest.raises(ValueError, match=r"one class only, got \['Ann'\] more than once"):
        Grammar(lambda _: [], 0, {"girl": ("Ann",), "aunt": ("Ann", "Sue")}, ())
