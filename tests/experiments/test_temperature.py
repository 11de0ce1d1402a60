import pytest
import torch

from course_lib.experiments.settling import flip_coins
from course_lib.experiments.temperature import SCORES, TEMPERATURES, share_curves, word_shares


def test_shares_are_a_softmax_of_the_scores_by_the_temperature():
    shares = word_shares(0.5)
    torch.testing.assert_close(shares.probs, torch.softmax(torch.tensor(SCORES) / 0.5, 0))
    assert len(shares.words) == len(shares.probs)


def test_the_curves_hold_the_shares_at_every_temperature_of_the_slider():
    curves = share_curves()
    assert curves.temperatures == TEMPERATURES
    for temperature, probs in zip(TEMPERATURES, curves.probs, strict=True):
        assert torch.equal(probs, word_shares(temperature).probs)


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
