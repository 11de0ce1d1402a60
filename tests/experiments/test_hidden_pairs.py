import pytest

from course_lib.experiments.hidden_pairs import block_cost, skipped
from course_lib.experiments.operation_counts import share_of_pairs


@pytest.mark.parametrize("n_strips", [1, 2, 3, 12])
def test_strips_compute_causal_attention_and_nothing_else(n_strips):
    found = skipped(12, n_strips)
    assert found.causal < 1e-12
    assert found.two_sided > 0.01


@pytest.mark.parametrize(("n_words", "n_strips"), [(12, 1), (12, 2), (12, 4), (12, 12), (10, 5)])
def test_strips_compute_their_own_staircase(n_words, n_strips):
    assert skipped(n_words, n_strips).share == (n_strips + 1) / (2 * n_strips)


def test_a_block_s_cost_in_closed_form():
    cost = block_cost(768, 512)
    assert cost.matrices == 24 * 512 * 768**2
    assert cost.seen + cost.hidden == 4 * 512**2 * 768
    assert cost.seen == 4 * 768 * sum(range(1, 513))
    share = share_of_pairs(768, 512)
    assert cost.needed == pytest.approx(1 - share * (1 - 513 / 1024))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_strips must divide n_words, got n_strips=5"):
        skipped(12, 5)
