"""The stream of a fresh stack: the readings of the recipe, their laws, and what is foretold."""

import math

import pytest
import torch

from course_lib.experiments.initial_stream import (
    AS_STD,
    AS_VARIANCE,
    LENGTHS,
    NOT_SCALED,
    ONE_WRITE,
    READINGS,
    initial_stream,
    stream_ends,
    writer_std,
)
from course_lib.experiments.residual_variance import attention_variance, feed_forward_variance


def test_the_readings_of_the_same_formula():
    stds = [writer_std(reading, 0.02, 12) for reading in (*READINGS, ONE_WRITE, LENGTHS)]
    scaled = 0.02 / math.sqrt(24)
    wanted = [0.02, scaled, math.sqrt(scaled), 0.02 / math.sqrt(12), 0.02 / 24]
    assert stds == pytest.approx(wanted)
    assert stds[1:3] == pytest.approx([0.00408, 0.0639], rel=2e-3)


def test_the_misreading_meets_no_scaling_at_one_over_two_variances():
    assert writer_std(AS_VARIANCE, 0.02, 1250) == pytest.approx(0.02)


@pytest.fixture(scope="module")
def ends():
    found = [stream_ends(depths=(4, 16), seed=seed).variances for seed in range(4)]
    return {reading: torch.stack([v[reading] for v in found]).mean(0) for reading in READINGS}


@pytest.mark.parametrize(("reading", "power"), [(NOT_SCALED, 1), (AS_STD, 0), (AS_VARIANCE, 0.5)])
def test_the_slopes(ends, reading, power):
    slope = math.log(ends[reading][1] / ends[reading][0]) / math.log(4)
    assert slope == pytest.approx(power, abs=0.2)


def test_with_shared_weights_every_slope_rises_by_one():
    ends = stream_ends(0.02, True, depths=(4, 16)).variances
    slopes = [math.log(ends[r][1] / ends[r][0]) / math.log(4) for r in READINGS]
    assert slopes == pytest.approx([2, 1, 1.5], abs=0.35)


@pytest.mark.parametrize("reading", READINGS)
def test_both_functions_measure_the_same_stack(reading):
    # One text each; what an end is does not depend on the other readings beside it.
    alone = stream_ends(readings=(reading,), depths=(3,), d_model=64).variances[reading]
    together = stream_ends(depths=(3,), d_model=64).variances[reading]
    torch.testing.assert_close(alone, together)
    stacks = [initial_stream(3, 0.02, reading, d_model=64, seed=s).variances[-1] for s in range(8)]
    many = [stream_ends(depths=(3,), d_model=64, seed=s).variances[reading] for s in range(8)]
    assert sum(stacks).item() == pytest.approx(sum(many).item(), rel=0.15)


@pytest.mark.parametrize("std", [0.01, 0.02, 0.04])
def test_the_end_lies_between_the_foretold_bounds(std):
    bounds = [2 * std**2 + (feed_forward_variance(768, std, std)
              + attention_variance(768, std, std, 32, c)) / 2 for c in (0, 1)]  # fmt: skip
    for n_layers in (6, 12):
        assert bounds[0] < initial_stream(n_layers, std).variances[-1] < bounds[1]


def test_its_parts_add_up_and_fit_their_laws():
    stack = initial_stream(6, reading=NOT_SCALED)
    total = stack.variances[0] + stack.attention.sum() + stack.feed_forward.sum()
    assert stack.variances[-1].item() == pytest.approx(total.item(), rel=0.15)
    assert stack.feed_forward.mean().item() == pytest.approx(
        feed_forward_variance(768, 0.02, 0.02), rel=0.1
    )
    law = [attention_variance(768, 0.02, 0.02, 32, c) for c in stack.likeness.tolist()]
    assert stack.attention.sum().item() == pytest.approx(sum(law), rel=0.15)


def test_the_table_of_positions_may_have_a_spread_of_its_own():
    tables = [initial_stream(1, positions_std=p, d_model=768).variances[0] for p in (None, 0.01)]
    assert [t.item() for t in tables] == pytest.approx([8e-4, 5e-4], rel=0.03)


def test_texts_of_one_token_keep_all_that_attention_says():
    lone, many = (initial_stream(1, seq_len=n, reading=NOT_SCALED) for n in (1, 64))
    assert lone.attention / many.attention > 5


def test_bad_input_is_named_and_the_generator_left_alone():
    before = torch.get_rng_state()
    initial_stream(1)
    stream_ends(depths=(1,))
    assert torch.equal(before, torch.get_rng_state())
    with pytest.raises(ValueError, match="reading must be one of"):
        initial_stream(reading="both")
    with pytest.raises(ValueError, match="std must be > 0, got 0"):
        initial_stream(std=0.0)
