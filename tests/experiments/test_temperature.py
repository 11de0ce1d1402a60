import pytest
import torch

from course_lib.experiments.settling import flip_coins
from course_lib.experiments.temperature import SCORES, TEMPERATURES, word_shares


def test_shares_are_those_of_the_curve_at_that_temperature():
    shares = word_shares(0.5)
    assert torch.equal(shares.probs, shares.curves[TEMPERATURES.index(0.5)])
    torch.testing.assert_close(shares.probs, torch.softmax(torch.tensor(SCORES) / 0.5, 0))


def test_bad_temperature_is_named():
    with pytest.raises(ValueError, match="temperature"):
        word_shares(0)


def test_share_of_heads_is_counted_flip_by_flip():
    records = list(flip_coins(50, seed=3))
    assert [r.step for r in records] == list(range(1, 51))
    heads = [round(r.share * r.step) for r in records]
    assert all(b - a in (0, 1) for a, b in zip([0, *heads], heads, strict=False))
    assert 10 < heads[-1] < 40


def test_no_flips_is_an_error():
    with pytest.raises(ValueError, match="n_flips must be a whole number >= 1, got 0"):
        next(flip_coins(0))
