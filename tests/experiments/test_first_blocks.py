import pytest

from course_lib.experiments.first_blocks import first_blocks


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_attention_over_unlike_positions_adds_little(seed):
    found = first_blocks(2, seed=seed)
    assert found.likeness[0].abs() < 0.01 and found.likeness[1] > 0.4
    assert found.attention[1] > 3 * found.attention[0]
    assert found.feed_forward[1] == pytest.approx(found.feed_forward[0].item(), rel=0.25)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_over_alike_positions_it_adds_as_much_in_the_first_block(seed):
    found = first_blocks(2, alike=True, seed=seed)
    assert found.likeness[0] == pytest.approx(1)
    assert found.attention[1] == pytest.approx(found.attention[0].item(), rel=0.25)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_layers"):
        first_blocks(0)
