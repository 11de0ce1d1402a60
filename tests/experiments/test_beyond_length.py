from contextlib import nullcontext

import pytest
import torch
from torch.nn.functional import one_hot

from course_lib.experiments import beyond_length
from course_lib.experiments.beyond_length import (
    TESTED,
    TRAINED,
    SqueezedRotary,
    accuracy_by_position,
    learn,
    named_instead,
    scores_by_distance,
    scores_by_pair,
    squeezed,
    task_texts,
)
from course_lib.mechanisms.losses import IGNORE
from course_lib.mechanisms.rotary import Rotary


@pytest.fixture(scope="module")
def rotary_three_back():
    return learn("three back", "rotary", n_steps=90)


def past(learner, **more):
    return accuracy_by_position(learner, **more)[TRAINED:].mean().item()


def test_targets_are_what_the_names_say():
    letters, targets = task_texts("three back", torch.Generator().manual_seed(0), 2, 7)
    assert torch.equal(targets[:, 3:], letters[:, :4]) and (targets[:, :3] == IGNORE).all()
    letters, targets = task_texts("first letter", torch.Generator().manual_seed(0), 2, 7)
    assert (targets[:, 1:] == letters[:, :1]).all() and (targets[:, :1] == IGNORE).all()


def test_rotary_goes_on_at_a_trained_distance(rotary_three_back):
    assert rotary_three_back.loss < 0.2
    assert past(rotary_three_back) > 0.9


def test_a_squeeze_breaks_a_task_that_counts_positions(rotary_three_back):
    assert past(rotary_three_back, squeeze=4) < 0.3
    assert isinstance(rotary_three_back.model.blocks[0].attn.rotary, Rotary)  # put back


def test_rotary_has_learned_a_distance(rotary_three_back):
    scores = scores_by_distance(rotary_three_back)
    assert scores.shape == (TESTED,)
    assert scores.argmax() == 3
    # Squeezed by two, distance 6 gets the angle that 3 had.
    assert scores_by_distance(rotary_three_back, squeeze=2)[:12].argmax() == 6


def test_rows_past_the_trained_length_stay_as_they_were():
    learner = learn("three back", "learned", n_steps=60)
    torch.manual_seed(0)
    fresh = learn("three back", "learned", n_steps=1).model.positions.weight
    # Weight decay alone moves them, by 1 - 0.01 lr a step.
    moved = (learner.model.positions.weight - fresh).abs()
    assert moved[TRAINED:].max() < 2e-3 < 0.05 < moved[:TRAINED].max()
    assert past(learner) < 0.3


def test_a_squeezed_rotary_is_rotary_at_a_fraction_of_the_position():
    x, ids = torch.randn(2, 3, 8), torch.tensor([4, 0, 12])
    torch.testing.assert_close(SqueezedRotary(Rotary(), 4.0)(x, ids), Rotary()(x, ids // 4))
    heads = torch.randn(2, 3, 5, 8)
    actual = SqueezedRotary(Rotary(), 4.0).at_once(heads, ids)
    torch.testing.assert_close(actual, Rotary().at_once(heads, ids // 4))


def test_where_nothing_is_asked_there_is_no_accuracy(rotary_three_back):
    shares = accuracy_by_position(rotary_three_back, n_texts=4)
    assert shares[:3].isnan().all() and not shares[3:].isnan().any()


def test_bad_input_is_named(rotary_three_back):
    with pytest.raises(ValueError, match="task must be one of"):
        learn("sorting", "rotary")
    with pytest.raises(ValueError, match="positions must be one of"):
        learn("three back", "alibi")
    with pytest.raises(ValueError, match="squeeze must be > 0, got 0"):
        accuracy_by_position(rotary_three_back, squeeze=0)
    unturned = learn("three back", "none", n_steps=1)
    with pytest.raises(ValueError, match="only rotary positions can be squeezed, got 'none'"):
        with squeezed(unturned.model, 2):
            pass


def test_training_ends_once_a_batch_is_solved(rotary_three_back):
    assert rotary_three_back.steps < 90 and rotary_three_back.loss < 0.01
    assert learn("three back", "none", n_steps=3).steps == 3


def test_letters_named_instead_are_counted_where_the_answer_is_wrong(rotary_three_back):
    named = named_instead(rotary_three_back, squeeze=4)
    assert named.by_distance.shape == named.by_place.shape == (TESTED,)
    assert named.by_distance[:48].argmax() == 12  # a quarter of twelve steps is three
    assert named.by_distance[3] == 0  # that would be a right answer
    assert named.by_place[TRAINED:48].mean() < 0.15


class Names:
    """A stand-in for a model: names the letter at a place, or so many steps back."""

    def __init__(self, task, place=None, back=None):
        self.task, self.place, self.back, self.seed, self.blocks = task, place, back, 0, []

    @property
    def model(self):
        return self

    def __call__(self, letters):
        answers = letters.roll(self.back, 1) if self.back else letters[:, self.place, None]
        return one_hot(answers.expand(letters.shape), 16)


def test_the_letter_named_is_found_by_its_place_or_its_distance(as_shipped, monkeypatch):
    monkeypatch.setattr(beyond_length, "squeezed", lambda *_: nullcontext())
    named = as_shipped(named_instead)(Names("first letter", place=5))
    assert named.by_place[5] == 1 and named.by_place.argsort()[-2] != 5
    named = as_shipped(named_instead)(Names("first letter", back=7))
    assert named.by_distance[7] == 1 and named.by_place.max() < 0.2
    with pytest.raises(ValueError, match="must give some wrong answer"):
        as_shipped(named_instead)(Names("three back", back=3))


def test_pairs_add_up_to_the_score(rotary_three_back):
    parts = scores_by_pair(rotary_three_back)
    assert parts.shape == (32, TESTED)
    torch.testing.assert_close(
        parts.sum(0), scores_by_distance(rotary_three_back), atol=1e-4, rtol=1e-4
    )
    # At distance 0 nothing is turned; a slow pair stays where it is.
    assert (parts[-1] - parts[-1, 0]).abs().max() < 0.1 < parts[:5].std(dim=1).max()
    with pytest.raises(ValueError, match="must have rotary positions, got 'none'"):
        scores_by_pair(learn("three back", "none", n_steps=1))


def test_two_blocks_do_without_positions_what_one_does_not():
    learner = learn("first letter", "none", n_steps=250, n_blocks=2)
    assert len(learner.model.blocks) == 2 and past(learner) > 0.85
    assert past(learn("first letter", "none")) < 0.3
