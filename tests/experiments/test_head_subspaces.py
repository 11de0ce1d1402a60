import pytest
import torch

from course_lib.experiments.head_subspaces import random_columns, subspace_overlaps


@pytest.mark.parametrize(("d_model", "n_heads"), [(256, 4), (256, 16), (192, 12)])
def test_chance_gives_the_share_of_the_width(d_model, n_heads):
    overlaps = subspace_overlaps(random_columns(d_model, n_heads))
    assert overlaps.expected == 1 / n_heads
    assert overlaps.mean_square == pytest.approx(1 / n_heads, rel=0.05)
    assert overlaps.joint_rank == d_model
    assert overlaps.cosines.shape == (n_heads * (n_heads - 1) // 2, d_model // n_heads)


def test_one_qr_for_all_gives_right_angles():
    overlaps = subspace_overlaps(random_columns(64, 4, orthogonal=True))
    assert overlaps.mean_square < 1e-28


def test_known_angles():
    plane = torch.eye(4)[:, :2]
    tilted = torch.stack([torch.tensor([1.0, 0, 0, 0]), torch.tensor([0, 0.6, 0.8, 0])], dim=1)
    cosines = subspace_overlaps(torch.stack([plane, 5 * tilted])).cosines
    torch.testing.assert_close(cosines, torch.tensor([[1, 0.6]]).double())
    assert subspace_overlaps(torch.stack([plane, plane * -2])).mean_square == pytest.approx(1)
    assert subspace_overlaps(torch.stack([plane, plane])).joint_rank == 2


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="columns must hold two or more heads"):
        subspace_overlaps(torch.randn(1, 8, 2))
    with pytest.raises(ValueError, match="at most as wide as the model"):
        subspace_overlaps(torch.randn(2, 3, 4))
    with pytest.raises(ValueError, match="n_heads must divide d_model=10, got 4"):
        random_columns(10, 4)
