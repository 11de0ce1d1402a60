import math

import pytest

from course_lib.experiments.guessing_loss import guessing_loss


def test_flat_logits_lose_the_logarithm_and_spread_ones_half_their_variance_more():
    assert guessing_loss(0.0, 1000) == pytest.approx(math.log(1000), rel=1e-6)
    assert guessing_loss(1.0, 1000, 4000) == pytest.approx(math.log(1000) + 0.5, abs=0.06)


def test_very_spread_logits_lose_their_largest():
    assert guessing_loss(100.0, 50257) == pytest.approx(423, abs=60)
