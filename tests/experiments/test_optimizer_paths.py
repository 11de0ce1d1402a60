import copy
import math

import pytest
import torch

from course_lib.experiments.optimizer_paths import (
    ADAM,
    ADAMW,
    L2,
    MOMENTUM,
    RULES,
    SGD,
    PathStep,
    paths,
    start,
    step,
)
from course_lib.experiments.surfaces import GRID_X, GRID_Y, SURFACES, heights

NOISY = {"weight_decay": 0.3, "noise": 1.0}


@pytest.mark.parametrize("name", SURFACES)
def test_a_surface_has_its_least_loss_where_it_says(name):
    surface = SURFACES[name]
    least = torch.tensor(surface.minimum, dtype=torch.float64)
    assert surface.loss(least) == pytest.approx(0, abs=1e-15)
    assert torch.allclose(surface.gradient(least), torch.zeros(2, dtype=torch.float64), atol=1e-12)
    assert heights(surface, 20)[2].min() >= 0


def test_the_map_has_a_row_for_each_y():
    x, y, loss = heights(SURFACES["bend"], 7)
    assert (x[0].item(), x[-1].item()) == GRID_X and (y[0].item(), y[-1].item()) == GRID_Y
    there = torch.stack([x[2], y[5]])
    assert loss[5, 2] == SURFACES["bend"].loss(there)


@pytest.mark.parametrize(
    ("rule", "make"),
    [
        (SGD, lambda w: torch.optim.SGD([w], 0.05, weight_decay=0.3)),
        (MOMENTUM, lambda w: torch.optim.SGD([w], 0.05, 0.8, weight_decay=0.3)),
        (ADAM, lambda w: torch.optim.Adam([w], 0.05, (0.8, 0.9))),
        (L2, lambda w: torch.optim.Adam([w], 0.05, (0.8, 0.9), weight_decay=0.3)),
        (ADAMW, lambda w: torch.optim.AdamW([w], 0.05, (0.8, 0.9), weight_decay=0.3)),
    ],
)
def test_a_walk_is_what_torch_does(rule, make):
    surface = SURFACES["bend"]
    weights = torch.tensor(surface.start, dtype=torch.float64)
    theirs, record = make(weights), start("bend", [rule])
    for _ in range(30):
        weights.grad = 3 * surface.gradient(weights)
        theirs.step()
        record = step(record, lr=0.05, weight_decay=0.3, scale=3.0, beta1=0.8, beta2=0.9)
    assert record.positions[rule] == pytest.approx(tuple(weights.tolist()), abs=1e-12)
    assert record.losses[rule] == pytest.approx(surface.loss(weights).item())


def test_a_step_changes_nothing_that_it_was_given_and_repeats_itself():
    last = step(start(), **NOISY)
    before = copy.deepcopy(last)
    first, second = (step(last, **NOISY) for _ in range(2))
    assert str(last) == str(before)
    assert str(first) == str(second)
    assert step(last, seed=1, **NOISY).positions != first.positions
    same_place = step(PathStep(7, last.surface, last.walks), **NOISY)  # another step's noise
    assert same_place.positions != first.positions


def test_settings_may_change_from_step_to_step():
    last = step(start(), lr=0.1)
    halted = step(last, lr=0.0)
    assert halted.positions == last.positions
    assert halted.walks[2].memory["step"].item() == 2


def test_the_scale_of_the_loss_moves_adam_with_l2_and_leaves_adamw():
    ends = [paths("bowl", 150, (ADAM, L2, ADAMW), scale=s, **NOISY)[-1].positions
            for s in (0.01, 100.0)]  # fmt: skip
    for rule in (ADAM, ADAMW):
        assert math.dist(ends[0][rule], ends[1][rule]) < 1e-4
    assert math.hypot(*ends[0][L2]) < 0.3 < math.dist(ends[0][L2], ends[1][L2])
    assert math.dist(ends[1][L2], ends[1][ADAM]) < 0.05


def test_a_path_begins_at_the_start():
    walked = paths("bend", 3)
    assert [record.step for record in walked] == [0, 1, 2, 3]
    assert set(walked[0].positions.values()) == {SURFACES["bend"].start}
    assert tuple(walked[0].positions) == RULES
