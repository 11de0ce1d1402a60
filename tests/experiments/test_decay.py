"""Lesson 42's measurements of weight decay, and of the length of Adam's steps."""

import itertools
import math

import pytest
import torch

from course_lib.experiments.adam_steps import step_sizes
from course_lib.experiments.decay_by_scale import what_is_left
from course_lib.experiments.decay_race import Entrant, race

SMALL = {"scales": (1e-3, 1e-2, 1.0, 100.0), "n_weights": 200}


def test_adamw_leaves_the_same_at_every_scale_and_l2_does_not():
    found = what_is_left(0.1, **SMALL)
    adamw, l2 = found.left["AdamW"], found.left["Adam + L2"]
    assert (adamw.max() - adamw.min()) < 1e-3
    assert adamw == pytest.approx([found.foretold] * 4, rel=0.01)
    assert found.foretold == pytest.approx(math.exp(-0.05), rel=1e-4)
    assert l2.tolist() == pytest.approx([0.561, 0.563, 0.951, 0.999], abs=0.005)


def test_l2_sees_the_ratio_of_the_gradients_to_the_decay_alone():
    first = what_is_left(0.1, scales=(0.01, 1.0), n_weights=50)
    second = what_is_left(1.0, scales=(0.1, 10.0), n_weights=50)
    assert first.left["Adam + L2"] == pytest.approx(second.left["Adam + L2"].tolist(), abs=1e-5)


def test_well_above_the_pull_l2_takes_the_decay_over_the_spread():
    scales = (1.0, 10.0)
    spared, made = (what_is_left(decay, scales=scales, n_weights=200) for decay in (0.0, 0.1))
    taken = spared.left["Adam + L2"] - made.left["Adam + L2"]
    foretold = [1 - math.exp(-0.5 * 0.1 / scale) for scale in scales]
    assert taken == pytest.approx(foretold, rel=0.03)


def test_other_noise_leaves_much_the_same():
    settings = {"scales": (0.01, 10.0), "n_weights": 200, "n_steps": 100}
    found = [what_is_left(0.5, seed=seed, **settings).left for seed in range(3)]
    for rule in found[0]:
        both = torch.stack([left[rule] for left in found])
        assert (both.max(0).values - both.min(0).values).max() < 0.01


@pytest.mark.parametrize("grad", [1e-3, -4.0])
def test_equal_gradients_make_equal_steps_with_the_corrections(grad):
    assert step_sizes(5, grad=grad, eps=0.0) == pytest.approx([1.0] * 5, abs=1e-12)
    bare = step_sizes(3, grad=grad, corrected=False, betas=(0.5, 0.75), eps=0.0)
    expected = [(1 - 0.5**t) / math.sqrt(1 - 0.75**t) for t in (1, 2, 3)]
    assert bare == pytest.approx(expected, abs=1e-12)


def test_eps_stands_outside_the_root():
    assert step_sizes(1, grad=1e-3, eps=1e-3).item() == pytest.approx(0.5)


def test_the_race_shrinks_weights_as_foretold():
    field = (Entrant("AdamW", 0.0), Entrant("AdamW", 30.0), Entrant("Adam + L2", 0.1))
    steps = list(race(field, n_steps=12, batch=4))
    none, strong, l2 = (entrant.name for entrant in field)
    assert [none, strong, l2] == ["no decay", "AdamW, 30", "Adam + L2, 0.1"]
    first, last = steps[0], steps[-1]
    assert len(set(first.losses.values())) == 1  # one start, the same texts
    assert first.gradients[none] == first.gradients[strong]
    assert last.sizes[strong] < 0.5 * last.sizes[none]
    assert last.sizes[l2] < 0.9 * last.sizes[none]
    shares = last.ratios[l2]
    assert len(shares) == len(first.ratios[none]) and min(shares) < max(shares)
    assert first.ratios[none] == first.ratios[strong]
    assert last.gradients[l2] < last.steepest[l2]
    again = list(itertools.islice(race(field, n_steps=12, batch=4), 3))
    assert again == steps[:3]


def test_bad_numbers_are_named_at_the_call():
    with pytest.raises(ValueError, match="n_steps"):
        race(n_steps=0)
    with pytest.raises(ValueError, match="seed"):
        race(seed=-1)
