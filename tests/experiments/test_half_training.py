import math

import pytest
import torch

from course_lib.experiments.half_training import FIELD, Way, lost_gradients, race


@pytest.fixture(scope="module")
def ends():
    return list(race(n_steps=60))[-1].losses


def test_crutches_give_what_fp32_gives_and_nothing_else_does(ends):
    assert ends["fp32"] < math.log(8) - 0.2
    for name in ("bf16 + masters", "fp16 + masters + scaling"):
        assert ends[name] == pytest.approx(ends["fp32"], rel=0.01)
    for name in ("bf16", "fp16 + masters"):
        assert ends[name] > 1.02 * ends["fp32"]


def test_a_factor_saves_gradients_and_bf16_needs_none():
    lost = [lost_gradients(factor) for factor in (1.0, 16.0, 1024.0)]
    assert lost[0] > 0.1 > lost[1] > lost[2] and lost[2] < 0.001
    assert lost_gradients(batch_tokens=4096) == 0  # a usual mean
    assert lost_gradients(dtype="bf16") == lost_gradients(dtype="fp32") == 0


def test_all_start_alike_and_seeds_repeat():
    before = torch.get_rng_state()
    one, two, other = (list(race(FIELD[:2], 2, seed=s)) for s in (1, 1, 2))
    assert one == two and one != other
    assert torch.equal(before, torch.get_rng_state())
    first = one[0].losses
    assert first["fp32"] == pytest.approx(first["bf16 + masters"], abs=0.01)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="dtype must be one of"):
        Way("fp8")
    with pytest.raises(ValueError, match="scaled needs masters"):
        Way("fp16", scaled=True)
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        race(n_steps=0)
    with pytest.raises(ValueError, match="field must have at least one way, got none"):
        race([])
