import pytest
import torch

from course_lib.experiments import written_stories as ws
from course_lib.experiments.next_word import stories_gpt

# Token by token, checking shapes would take most of the time; other files do it.
pytestmark = pytest.mark.usefixtures("unchecked")


def test_distinct_n_by_hand():
    assert ws.distinct_n([list("abab")], 2) == 2 / 3  # ab ba ab
    assert ws.distinct_n([list("ab"), list("ab")], 2) == 1 / 2  # no run across two texts
    assert ws.distinct_n([list("abc"), list("d")], 1) == 1
    assert ws.distinct_n([list("abab"), list("abab")], 2, n_words=5) == 2 / 3


@pytest.mark.parametrize(("texts", "n", "n_words"), [([list("ab")], 3, None), ([list("ab")], 1, 3)])
def test_too_few_words_are_named(texts, n, n_words):
    with pytest.raises(ValueError, match="texts must hold at least"):
        ws.distinct_n(texts, n, n_words)


def test_a_longer_sample_repeats_more():
    told = [story.words for story in ws.tell(200, 1)]
    shares = [ws.distinct_n(told, 4, n) for n in (500, 2000, 8000)]
    assert shares == sorted(shares, reverse=True)


def test_stories_begin_with_the_prompt_and_end_before_the_boundary():
    draws = torch.Generator().manual_seed(0)
    stories = ws.write_stories(stories_gpt(), 5, draws, "Leo had a brown", temperature=0.8)
    assert len(stories) == 5
    for story in stories:
        assert story[:4] == ("Leo", "had", "a", "brown")
        assert "<|story|>" not in story and len(story) <= 96


def test_a_beginning_that_the_model_cannot_read_is_named():
    with pytest.raises(ValueError, match="prompt must have at most 95 words, got 97"):
        ws.write_stories(stories_gpt(), 1, torch.Generator(), "Leo " * 97)


def test_each_beginning_gets_its_story_whatever_its_length():
    beginnings = ws.first_sentences(4)
    assert len({len(text.split()) for text in beginnings}) > 1
    stories = ws.finish_stories(stories_gpt(), beginnings, torch.Generator(), temperature=0)
    for text, story in zip(beginnings, stories, strict=True):
        assert " ".join(story).startswith(text)
        (alone,) = ws.write_stories(stories_gpt(), 1, torch.Generator(), text, temperature=0)
        assert story == alone


def test_all_temperatures_finish_the_same_stories():
    found = ws.at_temperatures(stories_gpt(), (0.0, 1.0), n=4, n_words=100)
    whole = [text.split() for text in ws.first_sentences(4)]
    for written in found.values():
        assert [list(s[: len(w)]) for s, w in zip(written.stories, whole, strict=True)] == whole
    again = ws.finished_and_judged(stories_gpt(), 4, 100, temperature=1.0)
    assert again == found[1.0]


def test_cuts_reach_the_model():
    def write(**how):
        return ws.write_stories(stories_gpt(), 3, torch.Generator().manual_seed(1), **how)

    assert len(set(write(top_k=1))) == 1 == len(set(write(temperature=0)))
    assert len(set(write(temperature=1.0))) == 3


def test_the_grammar_s_own_stories_are_all_possible():
    own = ws.told_by_the_grammar(20, 700)
    assert own.possible == 1 and 0.5 < own.distinct <= 1
