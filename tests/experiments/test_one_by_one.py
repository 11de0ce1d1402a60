import pytest
import torch

from course_lib.experiments.one_by_one import one_by_one


@pytest.mark.parametrize("seed", range(3))
def test_an_encoder_from_a_cache_is_a_causal_one(seed):
    found = one_by_one(seed=seed)
    assert found.causal.shape == (12,) and found.causal.max() < 1e-12
    assert found.two_sided.min() > 1e-3


def test_with_one_word_there_is_nothing_to_miss():
    assert one_by_one(1).two_sided.max() < 1e-12


def test_the_last_of_two_words_is_right_in_the_first_block_alone():
    """It reads both words there; what the second block reads of the first is stale."""
    assert one_by_one(2, n_layers=1).two_sided[-1] < 1e-12
    assert one_by_one(2, n_layers=1).two_sided[0] > 1e-3
    assert one_by_one(2, n_layers=2).two_sided[-1] > 1e-3


def test_random_state_is_left_alone():
    before = torch.get_rng_state()
    one_by_one(3)
    assert torch.equal(torch.get_rng_state(), before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_words must be a whole number >= 1, got 0"):
        one_by_one(0)
