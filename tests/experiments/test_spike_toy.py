import pytest

from course_lib.experiments.spike_toy import N_STEPS, SPIKES, toy_run


def worst(run, remedy):
    return max(run.distances[remedy][SPIKES[0] :])


def test_clipping_and_skipping_keep_the_weights_near():
    run = toy_run(100.0, 4.0)
    assert worst(run, "nothing") > 50 > 1 > worst(run, "clip") > worst(run, "skip")
    assert run.n_skipped == len(SPIKES) and len(run.norms) == N_STEPS


def test_too_small_a_factor_skips_good_batches_and_too_large_a_one_none():
    assert toy_run(1.0, 1.2).n_skipped > 8
    assert toy_run(1.0, 1.2).distances["skip"][-1] > toy_run(1.0, 4.0).distances["skip"][-1]
    let_in = toy_run(10.0, 1000.0)
    assert let_in.n_skipped == 0 and let_in.distances["skip"] == let_in.distances["nothing"]


def test_without_a_spike_all_are_alike():
    run = toy_run(1.0, 4.0)
    assert run.distances["nothing"] == run.distances["clip"] == run.distances["skip"]


def test_seeds_repeat():
    assert toy_run(10.0, 4.0, 3) == toy_run(10.0, 4.0, 3) != toy_run(10.0, 4.0, 4)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="size must be a finite number"):
        toy_run(float("nan"), 4.0)
