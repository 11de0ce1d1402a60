"""The race of lesson 33: the same texts and starts for all, and the rate that was asked for."""

import math

import pytest
import torch

from course_lib.experiments import copy_task, warmup_race
from course_lib.experiments.gradient_flow import Stack
from course_lib.experiments.warmup_race import FIELD, Entrant, Runner, movement, race, rise

SMALL = {"depth": 2, "width": 16, "batch": 4}


def test_the_rate_rises_to_its_full_size():
    assert [rise(step, 4) for step in (1, 2, 4, 9)] == [0.25, 0.5, 1, 1]
    assert rise(1, 0) == 1


def test_one_part_alone_can_warm_up():
    slow = Entrant("Post-LN", "xavier", 4, "feed-forward")
    assert [slow.rate(1, ffn) for ffn in (True, False)] == [0.25, 1]
    rest = Entrant("Post-LN", "xavier", 4, "the rest")
    assert [rest.rate(1, ffn) for ffn in (True, False)] == [1, 0.25]
    both = Entrant("Post-LN", "xavier", 4)
    assert [both.rate(2, ffn) for ffn in (True, False)] == [0.5, 0.5]
    assert Entrant("Post-LN", "xavier", 0, "the rest").rate(1, False) == 1


def test_only_the_part_named_moves_less():
    # Adam's first step moves every number by the rate: that tells the parts' rates apart.
    training = warmup_race._Training(
        Entrant("Post-LN", "xavier", 10, "feed-forward"), 2, 16, 1e-3, seed=0
    )
    before = {name: p.detach().clone() for name, p in training.model.named_parameters()}
    training.update(1, *copy_task.copy_texts(torch.Generator().manual_seed(0), 4))
    steps = {name: (p.detach() - before[name]).abs().max().item()
             for name, p in training.model.named_parameters()}  # fmt: skip
    ffn = [size for name, size in steps.items() if ".ffn." in name]
    assert ffn == pytest.approx([1e-4] * 8, rel=0.05)
    assert steps["head"] == pytest.approx(1e-3, rel=0.05)
    assert steps["blocks.0.attn.v_proj.weight"] == pytest.approx(1e-3, rel=0.05)


def test_a_step_moves_the_top_less_with_warm_up():
    full, slow = (movement(Entrant("Post-LN", "xavier", n), 2, **SMALL) for n in (0, 100))
    assert full.shape == (2,) and full[0] > 5 * slow[0] > 0
    assert not movement(FIELD[0], lr=0.0, **SMALL).any()


def test_entrants_start_alike_and_warm_up_parts_them():
    field = Entrant("Post-LN", "xavier", 0), Entrant("Post-LN", "xavier", 50)
    first, *_, last = race(field, 8, lr=3e-3, **SMALL)
    (a, b), (c, d) = first.losses.values(), last.losses.values()
    assert a == b and c != d and first.step == 1 and last.step == 8
    assert a == pytest.approx(math.log(24), abs=0.3)  # nothing is known yet


def test_the_same_seed_gives_the_same_race():
    runs = [list(race(FIELD[:1], 3, seed=seed, **SMALL)) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_other_seeds_bring_other_texts(monkeypatch):
    seen = []

    def copy_texts(*inputs):
        seen.append(copy_task.copy_texts(*inputs))
        return seen[-1]

    monkeypatch.setattr(warmup_race, "copy_texts", copy_texts)
    for seed in (0, 0, 1):
        list(race(FIELD[:1], 1, seed=seed, **SMALL))
    first, again, other = (ids for ids, _ in seen)
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_a_shallow_stack_learns():
    *_, last = race((Entrant("Pre-LN", "xavier", 0),), 120, depth=2, width=32, batch=16, lr=5e-3)
    assert list(last.losses.values())[0] < 1.5


def test_the_future_is_hidden():
    model = Runner(Stack("Post-LN", causal=True, depth=2, width=16), torch.Generator())
    ids = torch.randint(24, (1, 10))
    changed = ids.clone()
    changed[0, 6] = (ids[0, 6] + 1) % 24
    with torch.no_grad():
        difference = (model(ids) - model(changed)).abs().amax(dim=-1)[0]
    assert difference[:6].max() < 1e-6 < difference[6:].min()


def test_names_and_bad_input():
    assert [entrant.name for entrant in FIELD[:3]] == [
        "Post-LN, xavier, no warm-up", "Post-LN, xavier, warm-up",
        "Post-LN, xavier, warm-up of feed-forward",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="slow must be one of .* got 'attention'"):
        Entrant("Post-LN", "xavier", 5, "attention")
    with pytest.raises(ValueError, match="warmup must be a whole number >= 0, got -1"):
        Entrant("Post-LN", "xavier", -1)
    with pytest.raises(ValueError, match="placement must be one of"):
        Entrant("post", "xavier", 0)
    with pytest.raises(ValueError, match="field must have at least one entrant"):
        race(())
