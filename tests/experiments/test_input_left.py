import pytest
import torch

from course_lib.experiments.input_left import input_left


@pytest.mark.parametrize("writers", [0.2, 1.0, 5.0])
def test_the_variance_is_one_at_every_place(writers):
    found = input_left(writers, n_layers=3, d_model=64)
    torch.testing.assert_close(found.variances, torch.ones(4), rtol=0, atol=1e-3)
    assert found.cosines[0].item() == pytest.approx(1.0)


def test_small_writers_keep_the_input_and_large_ones_lose_it():
    small, large = (input_left(writers, n_layers=6, d_model=64).cosines for writers in (0.2, 5.0))
    assert small[-1] > 0.95 and large[-1] < 0.3
    assert (large.diff() < 0.05).all()


def test_without_writers_nothing_changes():
    found = input_left(0.0, n_layers=2, d_model=64)
    torch.testing.assert_close(found.cosines, torch.ones(3))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_layers must be a whole number >= 1, got 0"):
        input_left(n_layers=0)
