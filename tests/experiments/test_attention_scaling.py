import pytest
import torch

from course_lib.experiments.attention_scaling import (
    WIDEST,
    gradient_quantiles,
    jacobian_norm,
    query_gradients,
    scaled_scores,
    score_rank,
)


def test_jacobian_norm_is_that_of_the_matrix():
    logits = torch.randn(5, 7, dtype=torch.float64)
    p = logits.softmax(-1)
    matrices = torch.diag_embed(p) - p[:, :, None] * p[:, None, :]
    torch.testing.assert_close(jacobian_norm(p), matrices.flatten(1).norm(dim=1))


def test_a_row_that_takes_everything_has_no_gradient():
    assert jacobian_norm(torch.tensor([0.0, 1.0, 0.0])).item() == 0


def test_one_picture_has_the_same_first_entries_at_every_width():
    narrow, wide = (scaled_scores(d_k, 0.0).scores for d_k in (4, 1024))
    assert narrow.shape == wide.shape == (64, 64)
    assert narrow.std().item() == pytest.approx(2, rel=0.15)
    assert wide.std().item() == pytest.approx(32, rel=0.15)
    torch.testing.assert_close(scaled_scores(64, 0.5).scores * 8, scaled_scores(64, 0.0).scores)


def test_scaled_gradients_do_not_depend_on_the_width():
    means = gradient_quantiles([16, 64, 256, 1024], 0.5)["mean"]
    torch.testing.assert_close(means / means[-1], torch.ones(4).double(), rtol=0, atol=0.05)


def test_unscaled_median_falls_and_mean_stays_behind():
    unscaled = gradient_quantiles([16, 64, 256, 1024], 0.0)
    assert (unscaled["median"].diff() < 0).all()
    assert unscaled["median"][-1] < 2e-3 < 0.02 < unscaled["mean"][-1]
    assert (unscaled["low"] <= unscaled["median"]).all()
    assert (unscaled["median"] <= unscaled["high"]).all()


def test_query_gradient_gains_the_missing_root():
    ratio = query_gradients(16, 0.0).mean() / query_gradients(16, 0.5).mean()
    jacobians = [gradient_quantiles([16], a)["mean"] for a in (0.0, 0.5)]
    assert (ratio / (jacobians[0] / jacobians[1])).item() == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize(("n_positions", "d_k", "rank"), [(12, 5, 5), (5, 12, 5)])
def test_rank_is_the_smaller_of_positions_and_width(n_positions, d_k, rank):
    assert score_rank(n_positions, d_k) == rank


@pytest.mark.parametrize("d_k", [0, -1, WIDEST + 1])
def test_a_width_that_cannot_be_drawn_is_named(d_k):
    with pytest.raises(ValueError, match=f"d_k must be .* got {d_k}"):
        scaled_scores(d_k, 0.5)


def test_other_bad_sizes_are_named():
    with pytest.raises(ValueError, match="exponent must be a finite number, got nan"):
        scaled_scores(8, float("nan"))
    with pytest.raises(ValueError, match="n_rows must be a whole number >= 1, got 0"):
        gradient_quantiles([2], 0.5, n_rows=0)
    with pytest.raises(ValueError, match="n_rows must be a whole number >= 1, got 0"):
        query_gradients(2, 0.5, n_rows=0)
    with pytest.raises(ValueError, match="d_k must be a whole number >= 1, got -1"):
        score_rank(4, -1)
