import math

import pytest
import torch

from course_lib.experiments.final_norm import D_MODEL, STD, final_norm


def test_with_the_norm_the_logits_are_as_wide_at_every_depth():
    found = final_norm((1, 4, 8))
    wanted = STD * math.sqrt(D_MODEL)
    torch.testing.assert_close(found.with_norm, torch.full((3,), wanted), rtol=0.05, atol=0)


def test_without_it_they_are_multiplied_by_the_spread_of_the_stream():
    found = final_norm((1, 4, 8))
    torch.testing.assert_close(found.without, found.with_norm * found.spread, rtol=0.02, atol=0)
    assert found.without[2] > 1.5 * found.without[0]


def test_scaled_writers_keep_the_stream_from_growing():
    found = final_norm((2, 8), scaled=True)
    assert found.spread[1] == pytest.approx(found.spread[0].item(), rel=0.1)


def test_the_same_seed_gives_the_same_and_leaves_the_generator_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    one, two = final_norm((2,), seed=5), final_norm((2,), seed=5)
    assert torch.equal(one.without, two.without) and torch.equal(before, torch.get_rng_state())
    assert not torch.equal(one.without, final_norm((2,), seed=6).without)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="depths must rise"):
        final_norm((4, 2))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_block_adds_the_variance_that_its_full_std_gives(seed):
    found = final_norm((4, 8), seed=seed)
    added = (found.spread[1].square() - found.spread[0].square()) / 4
    assert 0.15 < added < 0.26  # with writers smaller by sqrt(2) it would be half of that
