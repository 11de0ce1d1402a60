import pytest
import torch

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import next_words
from course_lib.data.stories.sampling import tell
from course_lib.experiments import cuts
from course_lib.experiments.next_word import (
    BEGINNINGS,
    CUTS,
    next_word,
    scores_after,
    stories_gpt,
)


def places():
    """Two places and four words; the model is right at the first and wrong at the second."""
    truth = torch.tensor([[0.5, 0.5, 0, 0], [0, 0, 0.1, 0.9]])
    logits = torch.tensor([[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.2, 0.3]]).log()
    return cuts.Places(logits, truth)


def test_the_cost_of_a_cut_by_hand():
    found = cuts.cost(places(), {"top_k": 2})
    assert found.kept == 2
    assert found.lost == pytest.approx((0 + 0.1) / 2)
    assert found.wrong == pytest.approx((0 + 0.4 / 0.7) / 2)
    whole = cuts.cost(places(), {})
    assert (whole.kept, whole.lost) == (4, 0)
    assert whole.wrong == pytest.approx((0.3 + 0.5) / 2)


def test_a_cut_before_the_temperature_keeps_what_it_keeps_at_temperature_1():
    for temperature in (1.0, 3.0):
        found = cuts.cut_then_heated(places(), temperature, {"top_k": 2})
        assert (found.kept, found.lost) == (2, pytest.approx(0.05))
    # Words 1 and 3 are kept at the second place; heat brings 0.4 and 0.3 nearer to each other.
    share = 0.4**0.5 / (0.4**0.5 + 0.3**0.5)
    assert cuts.cut_then_heated(places(), 2.0, {"top_k": 2}).wrong == pytest.approx(share / 2)


def test_the_grammar_can_tell_every_beginning_and_knows_how_many_words_are_right():
    follow = [next_words(everyday_stories(), text.split()) for text in BEGINNINGS.values()]
    assert [len(words) for words in follow] == [8, 1, 1]
    assert list(follow[1]) == ["in"] and list(follow[2]) == ["garden"]


def test_the_truth_is_asked_at_every_place_of_every_story():
    where = cuts.places(stories_gpt(), n_stories=3)
    stories = tell(3, 2_000_003)
    assert len(where.truth) == len(where.logits) == sum(len(s.words) for s in stories)
    torch.testing.assert_close(where.truth.sum(-1), torch.ones(len(where.truth)))
    said = torch.tensor([stories_gpt().encode(w)[0] for s in stories for w in s.words])
    assert (where.truth.gather(-1, said[:, None]) > 0).all()
    # The model has learnt the grammar: nearly all it gives stands on what is possible.
    assert cuts.cost(where, {}).wrong < 0.1


def test_the_next_word_before_and_after_every_cut():
    for beginning in BEGINNINGS:
        for cut, how in CUTS.items():
            found = next_word(beginning, 0.7, cut)
            assert len(found.words) == len(found.before) == len(found.after)
            assert (found.before.diff() <= 0).all()
            assert found.n_kept == how.get("top_k", found.n_kept)
            assert found.kept >= how.get("top_p", 0) - 1e-6
            assert len(found.continuations) == 3
    assert scores_after(next(iter(BEGINNINGS))).shape == (169,)


def test_greedy_continuations_are_all_one():
    assert len(set(next_word(next(iter(BEGINNINGS)), 1.0, "top-k 1").continuations)) == 1
    assert len(set(next_word(next(iter(BEGINNINGS)), 1.5, "no cut").continuations)) == 3
