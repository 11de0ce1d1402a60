import math

import pytest
import torch

from course_lib.experiments.dot_products import (
    ENTRIES,
    coin_flip_products,
    correlated_variance,
    dot_product_variances,
    matching_products,
    product_variance,
)


@pytest.mark.parametrize("d_k", [1, 2, 5])
def test_every_pair_of_coin_flips_is_listed_once(d_k):
    products = coin_flip_products(d_k)
    assert len(products) == 4**d_k
    assert products.var(correction=0).item() == d_k and products.mean().item() == 0


@pytest.mark.parametrize("entries", ENTRIES)
def test_variance_grows_with_slope_one(entries):
    widths = torch.tensor([4.0, 64.0, 512.0])
    variances = dot_product_variances([4, 64, 512], entries, n_pairs=10_000)
    slope = (variances[-1] / variances[0]).log() / (widths[-1] / widths[0]).log()
    # Each variance is known to 1.4%, so the slope over a factor of 128 to 0.4%.
    assert slope.item() == pytest.approx(1, abs=0.02)


def test_entries_have_mean_zero_and_variance_one():
    for draw in ENTRIES.values():
        sample = draw((100_000,), torch.Generator().manual_seed(2))
        assert sample.mean().item() == pytest.approx(0, abs=0.016)
        assert sample.var().item() == pytest.approx(1, abs=0.025)


@pytest.mark.parametrize(("mean", "std"), [(0, 1), (1, 1), (2, 0.5)])
def test_variance_of_one_product(mean, std):
    expected = (std**2 + mean**2) ** 2 - mean**4
    assert product_variance(mean, std, n_pairs=500_000) == pytest.approx(expected, rel=0.02)


def test_correlation_adds_rho_squared_for_every_other_entry():
    assert correlated_variance(16, 0.5) == pytest.approx(16 * (1 + 15 * 0.25), rel=0.1)
    assert correlated_variance(16, 0.0) == pytest.approx(16, rel=0.05)


def test_a_query_that_is_its_own_key_scores_its_squared_length():
    scores = matching_products(64)
    assert scores.mean().item() == pytest.approx(64, rel=0.01)
    assert scores.var().item() == pytest.approx(2 * 64, rel=0.05)
    assert scores.std().item() == pytest.approx(math.sqrt(128), rel=0.03)


def test_bad_choices_are_named():
    with pytest.raises(ValueError, match="entries must be one of"):
        dot_product_variances([4], "cauchy")
    with pytest.raises(ValueError, match=r"rho must lie in \[0, 1\], got 1.5"):
        correlated_variance(4, 1.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dot_product_variances([]), "widths must be a list of at least one width"),
        (lambda: dot_product_variances([2, 0]), r"widths\[1\] must be a whole number >= 1, got 0"),
        (lambda: dot_product_variances([2], n_pairs=1), "n_pairs must be .* >= 2, got 1"),
        (lambda: product_variance(0.0, -1.0), "std must be >= 0, got -1.0"),
        (lambda: product_variance(float("nan"), 1.0), "mean must be a finite number, got nan"),
        (lambda: correlated_variance(2, 0.5, n_pairs=1), "n_pairs must be .* >= 2, got 1"),
        (lambda: matching_products(-1), "d_k must be a whole number >= 1, got -1"),
        (lambda: coin_flip_products(0), "d_k must be a whole number >= 1, got 0"),
    ],
)
def test_bad_sizes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
