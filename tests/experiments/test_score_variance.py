import pytest
import torch

from course_lib.experiments.score_variance import (
    CUT_AT_TWO,
    STARTS,
    _variance_within_rows,
    starting_score_variance,
    train_copier,
)


@pytest.mark.parametrize("d_head", [16, 96])
def test_start_is_as_predicted_whatever_the_head_width(d_head):
    for start in STARTS[:4]:
        measured = starting_score_variance(start, d_head)
        assert measured == pytest.approx(start.predicted_variance, rel=0.12)


def test_predictions_for_the_published_starts():
    predicted = [start.predicted_variance for start in STARTS]
    assert predicted == pytest.approx([0.0944, 0.0565, 0.1004, 1 / 9, 0.25, 24.16], rel=1e-3)


def test_scores_spread_while_the_model_learns_to_copy():
    run = train_copier(n_steps=60, look_every=20)
    assert run.steps == [0, 20, 40, 60]
    assert run.variances.shape == (4, 2, 4)
    assert run.losses[-1] < 1 < 3 < run.losses[0]
    assert run.variances[0].mean() == pytest.approx(1, abs=0.25)
    assert run.variances[-1].mean() > 2


def test_truncation_leaves_the_stated_share_of_the_spread():
    draws = torch.randn(400_000, generator=torch.Generator().manual_seed(0))
    assert draws[draws.abs() < 2].std().item() == pytest.approx(CUT_AT_TWO, rel=0.005)


def test_variance_is_taken_within_a_row_and_over_visible_keys():
    scores, visible = torch.randn(2, 3, 4, 5), torch.rand(4, 5) > 0.3
    visible[1] = False
    visible[1, 2] = True  # a row with a single key has no spread
    offsets = torch.randn(2, 3, 4, 1)
    measured = _variance_within_rows(scores + offsets, visible)
    expected = [scores[:, :, row, visible[row]].var(dim=-1) for row in (0, 2, 3)]
    torch.testing.assert_close(measured, torch.stack(expected, dim=-1))


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="look_every must be a whole number >= 1, got 0"):
        train_copier(2, look_every=0)
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 0, got -1"):
        train_copier(-1)
    with pytest.raises(ValueError, match="d_head must be a whole number >= 1, got 0"):
        starting_score_variance(STARTS[0], d_head=0)
