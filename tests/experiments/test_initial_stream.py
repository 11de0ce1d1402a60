import math

import pytest
import torch

from course_lib.experiments.initial_stream import READINGS, initial_stream, writer_std


def test_the_three_readings_of_the_same_formula():
    stds = [writer_std(reading, 0.02, 12) for reading in READINGS]
    assert stds == pytest.approx([0.02, 0.02 / math.sqrt(24), math.sqrt(0.02 / math.sqrt(24))])
    assert stds[1:] == pytest.approx([0.00408, 0.0639], rel=2e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_unscaled_the_variance_grows_with_every_block_and_scaled_it_is_bounded(seed):
    unscaled = [initial_stream(n, reading="not scaled", seed=seed).variances[-1] for n in (4, 16)]
    assert 3 < unscaled[1] / unscaled[0] < 5
    scaled = [initial_stream(n, seed=seed).variances[-1] for n in (4, 16)]
    assert 0.8 < scaled[1] / scaled[0] < 1.25


def test_writers_scaled_up_add_the_square_of_it():
    first, last = (
        initial_stream(2, reading=reading, seed=1).variances.diff()[0]
        for reading in ("as a standard deviation", "not scaled")
    )
    assert last / first == pytest.approx(4, rel=0.25)


def test_read_as_a_variance_the_stream_is_hundreds_of_times_as_large():
    right, wrong = (initial_stream(12, reading=reading).variances[-1] for reading in READINGS[1:])
    assert wrong / right > 100


def test_the_width_makes_no_difference():
    narrow, wide = (initial_stream(3, d_model=d).variances[-1].item() for d in (64, 256))
    assert narrow == pytest.approx(wide, rel=0.15)


def test_bad_input_is_named_and_the_generator_left_alone():
    before = torch.get_rng_state()
    initial_stream(1)
    assert torch.equal(before, torch.get_rng_state())
    with pytest.raises(ValueError, match="reading must be one of"):
        initial_stream(reading="both")
    with pytest.raises(ValueError, match="std must be > 0, got 0"):
        initial_stream(std=0.0)
