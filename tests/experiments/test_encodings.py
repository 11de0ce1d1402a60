import pytest
import torch

from course_lib.experiments.encodings import KINDS, N_POSITIONS, WIDTH, encodings
from course_lib.experiments.relative_positions import diagonal_spread


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_a_vector_to_each_position(kind):
    found = encodings(kind, 5)
    assert found.vectors.shape == (N_POSITIONS, WIDTH)
    assert found.similarity.shape == (N_POSITIONS, N_POSITIONS)
    assert found.similarity.diagonal().mean().item() == pytest.approx(1)
    assert found.vectors.square().mean().item() == pytest.approx(0.5, abs=0.15)
    torch.testing.assert_close(found.similarity, found.similarity.T)


def test_distance_decides_for_sinusoids_and_rotary_and_not_for_a_fresh_table():
    spreads = {k: diagonal_spread(encodings(k, 0).similarity).max().item() for k in KINDS}
    assert spreads["sinusoidal"] < 1e-12 and spreads["rotary"] < 1e-12
    assert spreads["learned"] > 0.1


def test_a_smaller_base_turns_the_slow_pairs_faster():
    slow, fast = (encodings("sinusoidal", 0, base).vectors[:, -2] for base in (1e4, 10.0))
    assert slow.max() < 0.05 and fast.max() > 0.9


def test_the_same_call_gives_the_same_vectors_and_leaves_torch_s_generator_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    one, other = (encodings("learned", 5).vectors for _ in range(2))
    assert torch.equal(one, other) and torch.equal(torch.get_rng_state(), before)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="kind must be one of .* got 'alibi'"):
        encodings("alibi", 0)
    with pytest.raises(ValueError, match="position must be below 64, got 64"):
        encodings("learned", 64)
