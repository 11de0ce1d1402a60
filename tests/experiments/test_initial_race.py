import math

import pytest
import torch

from course_lib.experiments.initial_race import _model, race
from course_lib.experiments.initial_stream import AS_STD, NOT_SCALED, READINGS, writer_std
from course_lib.experiments.starts import equivalent_std


@pytest.mark.parametrize("reading", READINGS)
def test_writers_are_drawn_as_the_reading_says_and_all_else_as_usual(reading):
    model = _model(reading, 4, seed=0)
    wider = equivalent_std(64) / 0.02
    for block in model.blocks:
        for writer in (block.attn.out_proj, block.ffn.narrow):
            wanted = wider * writer_std(reading, 0.02, 4)
            assert writer.weight.std().item() == pytest.approx(wanted, rel=0.05)
        assert block.ffn.widen.weight.std().item() == pytest.approx(equivalent_std(64), rel=0.03)


def test_all_start_at_chance_on_the_same_texts_and_learn():
    steps = list(race((NOT_SCALED, AS_STD), 12, n_layers=2, lr=3e-3))
    assert [step.step for step in steps] == list(range(1, 13))
    for reading in (NOT_SCALED, AS_STD):
        assert steps[0].losses[reading] == pytest.approx(math.log(24), abs=0.3)
        assert steps[-1].losses[reading] < steps[0].losses[reading]


def test_seeds_repeat_and_the_generator_is_left_alone():
    before = torch.get_rng_state()
    one, two, other = (list(race((AS_STD,), 2, n_layers=1, seed=s)) for s in (1, 1, 2))
    assert one == two and one != other
    assert torch.equal(before, torch.get_rng_state())


def test_bad_input_is_named_at_the_call():
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        race(n_steps=0)
