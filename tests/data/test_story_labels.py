import pytest

from course_lib.data.stories.claims import LABELS
from course_lib.data.story_labels import (
    ANSWER,
    JUDGED,
    LONGEST,
    NAMES,
    PAIR,
    SINGLE,
    STORY_TASKS,
    TAG_NAMES,
    story_labels,
)
from course_lib.data.story_pairs import story_tokenizer
from course_lib.mechanisms.losses import IGNORE

pytestmark = pytest.mark.usefixtures("unchecked")


def words_of(row):
    tokens = story_tokenizer().vocabulary.tokens
    return [tokens[i] for i in row]


def rows(labels):
    """The words of each row without padding, its segments, its label and its example."""
    texts = labels.texts
    for i, example in enumerate(labels.examples):
        n = int(texts.lengths[i])
        each = texts.rows.token_ids[i, :n], texts.rows.segment_ids[i, :n], texts.rows.labels[i]
        yield words_of(each[0].tolist()), each[1].tolist(), each[2], example


def test_pairs_hold_story_and_claim():
    made = story_labels(PAIR, 12, 1)
    assert made.answers == LABELS
    for words, segments, label, claim in rows(made):
        assert words == ["[CLS]", *claim.story, "[SEP]", *claim.claim, "[SEP]"]
        assert segments == [0] * (len(claim.story) + 2) + [1] * (len(claim.claim) + 1)
        assert made.answers[label] == claim.label


def test_single_sentences():
    made = story_labels(SINGLE, 12, 1)
    assert made.answers == JUDGED
    for words, segments, label, judged in rows(made):
        assert words == ["[CLS]", *judged.words, "[SEP]"]
        assert set(segments) == {0}
        assert bool(label) is judged.acceptable


def test_the_span_holds_the_answer():
    for words, segments, (start, end), asked in rows(story_labels(ANSWER, 30, 1)):
        assert words == ["[CLS]", *asked.question, "[SEP]", *asked.story, "[SEP]"]
        assert tuple(words[start : end + 1]) == asked.answer
        assert segments[start] == segments[end] == 1


def test_tags_stand_at_their_words():
    made = story_labels(NAMES, 12, 1)
    for words, _, labels, tagged in rows(made):
        n = len(tagged.words)
        assert words[1:-1] == list(tagged.words)
        assert [TAG_NAMES[i] for i in labels[1 : n + 1]] == list(tagged.tags)
        assert labels[0] == IGNORE and (labels[n + 1 :] == IGNORE).all()
    assert TAG_NAMES[0] == "outside"  # tag 0 means nothing to the measure


@pytest.mark.parametrize("task", STORY_TASKS)
def test_as_many_as_asked_for_and_none_too_long(task):
    made = story_labels(task, 200, 2)
    assert len(made.texts) == len(made.examples) == 200
    assert made.texts.rows.token_ids.shape[-1] <= LONGEST
    few = made.first(7)
    assert few.examples == made.examples[:7] and len(few.texts) == 7
    assert story_labels(task, 200, 3).examples != made.examples


def test_bad_requests_are_named():
    with pytest.raises(ValueError, match=r"task must be one of \('pair', .*got 'pairs'"):
        story_labels("pairs", 3, 0)
    with pytest.raises(ValueError, match="n_examples must be a whole number >= 1, got 0"):
        story_labels(PAIR, 0, 0)
