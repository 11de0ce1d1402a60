import math

import pytest
import torch

from course_lib.experiments.normalising import kurtosis, normalised, positions_of_many_sizes
from course_lib.mechanisms.norms import layer_norm


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_layer_norm_forgets_scale_and_shift_and_rms_norm_scale_alone(seed):
    plain = normalised(1, 0, 3, eps=0, seed=seed)
    moved = normalised(7, -4, 3, eps=0, seed=seed)
    scaled = normalised(7, 0, 3, eps=0, seed=seed)
    torch.testing.assert_close(moved.layer, plain.layer)
    torch.testing.assert_close(scaled.rms, plain.rms)
    assert (moved.rms - plain.rms).abs().max() > 0.1


@pytest.mark.parametrize("d_model", [8, 65, 256])
def test_no_feature_gets_further_out_than_the_root_of_the_others(d_model):
    huge = normalised(outlier=1e9, eps=0, d_model=d_model)
    assert huge.layer[-1] == pytest.approx(math.sqrt(d_model - 1))
    assert huge.rms[-1] == pytest.approx(math.sqrt(d_model))


@pytest.mark.parametrize("seed", [0, 1])
def test_without_outlier_the_other_features_have_mean_0_and_variance_1(seed):
    rest = normalised(2, 5, 40, seed=seed).before[:-1]
    assert rest.mean() == pytest.approx(5) and rest.std(correction=0) == pytest.approx(2)


def test_a_small_scale_is_not_quite_forgotten_because_of_eps():
    found = normalised(1e-3, 0, 0, eps=1e-5).layer.std(correction=0)
    variance = 1e-6 * 63 / 64  # 63 features of variance 1e-6, and one at their mean
    assert found.item() == pytest.approx(math.sqrt(variance / (variance + 1e-5)))


@pytest.mark.parametrize("seed", range(8))
def test_over_positions_of_many_sizes_layer_norm_takes_the_tails_away(seed):
    x = positions_of_many_sizes(seed=seed)
    assert kurtosis(x) > 30 and 2.8 < kurtosis(layer_norm(x)) < 3
    assert kurtosis(layer_norm(x)[0]) == pytest.approx(kurtosis(x[0]).item(), rel=1e-3)


def test_kurtosis_by_hand():
    assert kurtosis(torch.tensor([-2.0, 0.0, 0.0, 2.0])) == pytest.approx(2)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="scale must be > 0, got 0"):
        normalised(scale=0.0)
    with pytest.raises(ValueError, match="outlier must be a finite number"):
        normalised(outlier=math.inf)
