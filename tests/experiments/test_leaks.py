"""Which objectives leak: by the influence of the answer, by the inputs, and by a short race."""

import math

import pytest
import torch

from course_lib.experiments.leaks import (
    CONTESTANTS,
    FLOOR,
    LENGTH,
    MASK_ID,
    N_TOKENS,
    Contestant,
    OthersOnly,
    Reader,
    answer_influence,
    draw,
    race,
)
from course_lib.mechanisms.losses import IGNORE

LEAKY = "next token, both sides visible", "itself, own place hidden, 2 layers"
HONEST = tuple(name for name in CONTESTANTS if name not in LEAKY)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_the_answer_moves_the_scores_of_the_leaky_only(name):
    moved = [answer_influence(CONTESTANTS[name], seed) for seed in range(3)]
    assert all(m > 1e-3 for m in moved) if name in LEAKY else moved == [0.0, 0.0, 0.0]


def test_an_answer_left_in_the_text_would_be_seen(monkeypatch):
    monkeypatch.setattr("course_lib.experiments.leaks.MASK_SHARE", 0.5)  # the others are kept
    assert answer_influence(CONTESTANTS["hidden tokens, both sides visible"]) > 1e-3


def test_three_layers_of_reading_the_others_leak_as_two_do():
    assert answer_influence(Contestant("itself", "all but itself", 3)) > 1e-3


def test_the_targets_of_each_task():
    text, targets = draw("next", 3, generator())
    assert torch.equal(targets[:, :-1], text[:, 1:])
    assert (targets[:, -1] == IGNORE).all()
    text, targets = draw("itself", 3, generator())
    assert torch.equal(text, targets)
    text, targets = draw("hidden", 200, generator())
    asked = targets != IGNORE
    assert torch.equal(asked, text == MASK_ID)
    assert abs(asked.double().mean() - 0.15) < 0.03
    assert targets[asked].max() < N_TOKENS
    with pytest.raises(ValueError, match="task must be next, itself or hidden, got 'previous'"):
        draw("previous", 3, generator())


def test_a_layer_of_the_others_skips_the_own_place():
    torch.manual_seed(0)
    reader = Reader(Contestant("itself", "all but itself", 1))
    layer = reader.layers[0]
    assert isinstance(layer, OthersOnly)
    x, places = torch.randn(2, 1, LENGTH, 64).unbind()
    changed = x.clone()
    changed[0, 4] += 1.0
    moved = (layer(x, places) - layer(changed, places)).abs().amax(dim=-1)[0] > 0
    assert moved.tolist() == [place != 4 for place in range(LENGTH)]


def test_a_short_race_starts_near_the_floor_and_is_repeatable():
    runs = [list(race(2, batch=4, seed=seed)) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]
    assert [record.step for record in runs[0]] == [1, 2]
    assert set(runs[0][0].losses) == set(CONTESTANTS)
    assert math.isclose(FLOOR, math.log(32))
    assert all(abs(loss - FLOOR) < 0.6 for loss in runs[0][0].losses.values())


def test_copying_is_learned_in_a_few_steps():
    *_, last = race(30, batch=32)
    assert last.losses[LEAKY[0]] < 2.5
    assert min(last.losses[name] for name in HONEST) > FLOOR - 0.15


def test_the_global_generator_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    list(race(1, batch=2))
    answer_influence(CONTESTANTS[LEAKY[0]])
    assert torch.equal(torch.rand(3), expected)


def test_bad_input_is_named_at_the_call():
    with pytest.raises(ValueError, match="n_steps must be"):
        race(0)
