import pytest
import torch

from course_lib.experiments.norm_directions import a_position, norm_jacobian, reaction


@pytest.mark.parametrize("spread", [0.3, 5.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_layer_norm_loses_two_directions_and_divides_all_others_by_the_spread(spread, seed):
    x = a_position(11, spread, mean=2.0, seed=seed)
    sizes = torch.linalg.svdvals(norm_jacobian("layer norm", x))
    torch.testing.assert_close(sizes[:9], torch.full((9,), 1 / spread, dtype=torch.float64))
    assert sizes[9:].max() < 1e-12
    jacobian = norm_jacobian("layer norm", x)
    for lost in (torch.ones_like(x), x, x - x.mean()):
        assert reaction(jacobian, lost) < 1e-12


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rms_norm_loses_one_direction(seed):
    x = a_position(11, 3.0, mean=4.0, seed=seed)  # root mean square 5
    sizes = torch.linalg.svdvals(norm_jacobian("RMS norm", x))
    torch.testing.assert_close(sizes[:10], torch.full((10,), 0.2, dtype=torch.float64))
    assert sizes[10] < 1e-12
    assert reaction(norm_jacobian("RMS norm", x), x) < 1e-12
    assert reaction(norm_jacobian("RMS norm", x), torch.ones_like(x)) > 0.05


def test_eps_lets_a_little_of_the_scale_through():
    x = a_position(11, 0.1)
    seen = reaction(norm_jacobian("layer norm", x, eps=0.01), x)
    # d/ds of s / sqrt(s^2 + eps) is eps / (s^2 + eps)^1.5.
    assert seen.item() == pytest.approx(0.01 / 0.02**1.5)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="kind must be one of"):
        norm_jacobian("batch norm", a_position())
