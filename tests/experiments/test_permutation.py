import itertools

import pytest
import torch

from course_lib.config import POSITIONS
from course_lib.experiments.permutation import WORDS, shuffled


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_positions_no_order_changes_any_output(seed):
    for order in itertools.islice(itertools.permutations(range(5)), 0, None, 7):
        assert shuffled(order, "none", seed=seed).changes.max() < 1e-12


@pytest.mark.parametrize("positions", [kind for kind in POSITIONS if kind != "none"])
def test_with_positions_every_output_notices(positions):
    assert shuffled((4, 3, 2, 1, 0), positions).changes.min() > 1e-3


def test_a_causal_mask_alone_already_breaks_the_symmetry():
    assert shuffled((4, 3, 2, 1, 0), "none", causal=True).changes.max() > 0.1


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("causal", [False, True])
def test_the_same_order_changes_nothing(positions, causal):
    assert shuffled(range(5), positions, causal).changes.max() == 0


def test_rows_come_back_in_the_first_order():
    found = shuffled((1, 2, 3, 4, 0), "none")  # no permutation that is its own inverse
    assert found.words == WORDS
    torch.testing.assert_close(found.after, found.before)


def test_a_causal_word_whose_past_is_the_same_set_keeps_its_output_without_positions():
    changes = shuffled((1, 0, 2, 3, 4), "none", causal=True).changes
    assert changes[2:].max() < 1e-12 < 1e-3 < changes[:2].min()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="order must name each of 0 to 4 once"):
        shuffled((0, 1, 2))
    with pytest.raises(ValueError, match="positions must be one of"):
        shuffled(positions="alibi")
