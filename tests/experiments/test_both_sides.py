"""Sides that act on their own, and sides that act together."""

import pytest
import torch

from course_lib.experiments.both_sides import BOTH, ONE_WAY, READERS, SIDE_BY_SIDE, sides


@pytest.mark.parametrize("seed", range(3))
def test_only_a_two_sided_stack_lets_one_side_depend_on_the_other(seed):
    assert (sides(BOTH, seed=seed).joint > 0.02).all()
    assert (sides(SIDE_BY_SIDE, seed=seed).joint == 0).all()


def test_both_sides_move_the_middle_but_for_one_way():
    for reader in (BOTH, SIDE_BY_SIDE):
        found = sides(reader, n_layers=2)
        assert (found.left > 0.05).all() and (found.right > 0.05).all()
    found = sides(ONE_WAY)
    assert (found.left > 0.05).all() and (found.right == 0).all() and (found.joint == 0).all()


def test_layers_are_as_many_as_asked_for_and_the_same_each_time():
    for reader in READERS:
        found = sides(reader, n_layers=4, seq_len=5)
        assert found.joint.shape == (4,)
        torch.testing.assert_close(found.left, sides(reader, n_layers=4, seq_len=5).left)


def test_bad_input():
    with pytest.raises(ValueError, match="reader must be one of"):
        sides("both")
    with pytest.raises(ValueError, match="seq_len must be a whole number >= 3, got 2"):
        sides(BOTH, seq_len=2)
