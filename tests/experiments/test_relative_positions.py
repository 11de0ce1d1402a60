import math

import pytest
import torch

from course_lib.experiments.relative_positions import (
    angle_error,
    diagonal_spread,
    position_scores,
    rotary_scores,
    share_within_diagonals,
    unexplained_by_a_matrix,
    unfinished_turns,
)
from course_lib.mechanisms.positions import sinusoidal_positions


@pytest.mark.parametrize("seed", range(3))
def test_distance_decides_only_before_the_weights(seed):
    found = position_scores(seed=seed)
    assert diagonal_spread(found.raw).max() < 1e-10
    assert (diagonal_spread(found.mixed).mean() / found.mixed.std()).item() > 0.5


def test_the_scores_are_those_of_random_queries_and_keys():
    generator = torch.Generator().manual_seed(4)
    w_q, w_k = (torch.randn(6, 6, generator=generator, dtype=torch.float64) for _ in range(2))
    pe = sinusoidal_positions(5, 6, dtype=torch.float64)
    found = position_scores(5, 6, seed=4)
    torch.testing.assert_close(found.mixed, pe @ w_q @ w_k.T @ pe.T / 6)
    torch.testing.assert_close(found.raw, pe @ pe.T)


def test_diagonal_spread_sees_a_single_wrong_entry():
    scores = (torch.arange(20)[:, None] - torch.arange(20)).abs().double()
    assert diagonal_spread(scores).max() == 0
    scores[3, 5] += 1
    assert diagonal_spread(scores).count_nonzero() == 1


def test_the_share_within_diagonals_runs_from_distance_alone_to_place_alone():
    n = torch.arange(40.0)
    assert share_within_diagonals((n[:, None] - n).sin()) < 1e-12
    noise = torch.randn(40, 40, generator=torch.Generator().manual_seed(0))
    assert 0.9 < share_within_diagonals(noise) < 1
    # By hand: diagonals (2), (1, 3), (6); mean 3, all squares 14, within the middle one 2.
    by_hand = share_within_diagonals(torch.tensor([[1.0, 6.0], [2.0, 3.0]]))
    assert by_hand == pytest.approx(2 / 14)


@pytest.mark.parametrize("offset", [1, 7, 30])
def test_a_matrix_explains_sinusoids_and_not_a_random_table(offset):
    assert unexplained_by_a_matrix(sinusoidal_positions(200, 16), offset) < 1e-10
    assert unexplained_by_a_matrix(torch.randn(512, 64), offset) > 0.8


@pytest.mark.parametrize("pairing", ["adjacent", "halves"])
def test_rotary_scores_depend_on_the_distance_alone(pairing):
    starts = [0, 1, 17, 500, 8000]
    near, far = (rotary_scores(16, d, starts, pairing=pairing) for d in (3, 40))
    assert near.std() < 1e-10 and far.std() < 1e-10
    assert abs(near[0] - far[0]) > 1e-3
    assert rotary_scores(16, 3, starts, pairing=pairing, turn_key=False).std() > 0.1


@pytest.mark.parametrize(
    ("d_head", "length", "count"), [(128, 2048, 23), (128, 4096, 18), (64, 1024, 14), (2, 6, 1)]
)
def test_slow_pairs_are_counted(d_head, length, count):
    assert unfinished_turns(d_head, length) == count
    # Solved by hand: 2 pi base^(2i/d) > length means i > d/2 log(length / 2 pi) / log(base).
    bound = d_head / 2 * math.log(length / (2 * math.pi)) / math.log(10_000)
    assert count == sum(i > bound for i in range(d_head // 2))


def test_angles_lose_digits_far_out():
    errors = [angle_error(8191, 64, d) for d in (torch.float64, torch.float32, torch.bfloat16)]
    assert errors[0] < 1e-11 and 1e-5 < errors[1] < 1e-2 and errors[2] > 1


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="length must be a whole number >= 1, got 0"):
        unfinished_turns(8, 0)
    with pytest.raises(ValueError, match="offset must be a whole number >= 1, got 0"):
        unexplained_by_a_matrix(torch.randn(4, 2), 0)
