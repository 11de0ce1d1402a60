import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.data.stories.acceptability import is_sentence
from course_lib.data.stories.entropy import floor
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.questions import name_tags
from course_lib.data.stories.reading import next_words, possible, read, surprises
from course_lib.data.stories.sampling import tell


def some(texts, n=60):
    """Every so many of the texts, about n."""
    return list(texts)[:: len(texts) // n + 1]


def test_surprises_are_those_of_the_list(listed):
    for text in some(listed.texts):
        found = surprises(listed.grammar, text)
        assert len(found) == len(text)
        for at, nats in enumerate(found):
            ratio = listed.beginnings[text[: at + 1]] / listed.beginnings[text[:at]]
            assert nats == pytest.approx(-math.log(ratio), abs=1e-12)


def test_a_reader_who_knows_the_grammar_reaches_the_floor(listed):
    scores = {text: sum(surprises(listed.grammar, text)) for text in listed.texts}
    loss = sum(p * scores[text] for text, p in listed.texts.items())
    assert loss == pytest.approx(floor(listed.grammar).nats_per_story, rel=1e-12)


def test_next_words_are_those_of_the_list(listed):
    for text in some(listed.texts, 15):
        for at in range(len(text) + 1):
            found = next_words(listed.grammar, text[:at])
            here = listed.beginnings[text[:at]]
            wanted = {w: listed.beginnings.get((*text[:at], w), 0) / here
                      for w in listed.grammar.vocabulary}  # fmt: skip
            assert found == pytest.approx({w: p for w, p in wanted.items() if p > 0})


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_first_impossible_word(data, listed):
    text = list(data.draw(st.sampled_from(sorted(listed.texts))))
    words = st.sampled_from(listed.grammar.vocabulary)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 1))] = [data.draw(words)]
    text = tuple(text[: data.draw(st.integers(0, len(text)))])
    wrong = [at for at in range(len(text)) if text[: at + 1] not in listed.beginnings]
    wanted = wrong[0] if wrong else None if text in listed.texts else len(text)
    assert possible(listed.grammar, text) == wanted


def test_reading_finds_what_the_teller_knew(grammar):
    for story in tell(200, 3):
        reading = read(grammar, story.words)
        assert reading.worlds == story.worlds
        assert reading.fillers == story.fillers
        assert reading.impossible is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("one cold day Mia was in the hall with Tom . she had a red ball . Tom gave", "gave"),
        ("one cold day Mia was in the hall with Tom . Tom had a kite", "kite"),
        ("one cold day Mia was in the hall with Mia", "Mia"),
        ("one cold day Mia was in the hall with Tom . Mia", "Mia"),
        ("one cold day Mia was in the hall with Tom . she had a red ball . in", "in"),
        ("one cold day Mia was in the hall with Tom . she had a red ball . she went to the hall",
         "hall"),
        ("one cold day unicorn", "unicorn"),
    ],
)  # fmt: skip
def test_mistakes_of_fact_are_impossible(grammar, text, wrong):
    words = text.split()
    assert possible(grammar, words) == len(words) - 1
    assert words[-1] == wrong
    with pytest.raises(ValueError, match=f"possible story, got '{wrong}' as word {len(words) - 1}"):
        surprises(grammar, words)
    with pytest.raises(ValueError, match=f"must be possible, got '{wrong}'"):
        next_words(grammar, words)


def test_a_story_that_breaks_off_or_goes_on(grammar):
    words = tell(1, 0)[0].words
    assert possible(grammar, words[:-1]) == len(words) - 1
    assert possible(grammar, (*words, "one")) == len(words)
    assert possible(grammar, ()) == 0
    assert next_words(grammar, words) == {}


@pytest.mark.parametrize("function", [read, possible, next_words, surprises])
def test_a_text_is_not_read_letter_by_letter(function):
    with pytest.raises(TypeError, match="words must be a list of words, got the text 'one cold"):
        function(everyday_stories(), "one cold morning")


def test_labels_of_words_do_not_read_letters_either(unchecked):
    with pytest.raises(TypeError, match="words must be a list of words"):
        name_tags("Lily ran")
    with pytest.raises(TypeError, match="words must be a list of words"):
        is_sentence(everyday_stories(), "Lily ran .")
