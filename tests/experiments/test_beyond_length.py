import pytest
import torch

from course_lib.experiments.beyond_length import (
    TESTED,
    TRAINED,
    SqueezedRotary,
    accuracy_by_position,
    learn,
    scores_by_distance,
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
