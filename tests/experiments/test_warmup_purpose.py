"""The five ways of lesson 43: what each changes, and what it leaves as it is."""

import math

import pytest
import torch

from course_lib.experiments import warmup_purpose
from course_lib.experiments.copy_task import copy_texts
from course_lib.experiments.warmup_purpose import (
    LR,
    WAYS,
    Way,
    averaged_size,
    noise_sizes,
    race,
)


def weights(training):
    return torch.cat([p.detach().flatten() for p in training.model.parameters()])


def trained(way, n_steps=2, seed=0):
    training = warmup_purpose._Training(way, seed)
    texts = torch.Generator().manual_seed(5)
    return training, [training.update(s, copy_texts(texts, 8)) for s in range(1, n_steps + 1)]


def test_the_plain_way_is_torch_s_adam():
    training, _ = trained(Way("plain"), 2)
    other = warmup_purpose._Training(Way("plain"), 0)
    adam = torch.optim.Adam(other.model.parameters(), LR, (0.9, 0.98))
    texts = torch.Generator().manual_seed(5)
    for _ in range(2):
        token_ids, targets = copy_texts(texts, 8)
        logits = other.model(token_ids).flatten(0, 1)
        adam.zero_grad()
        torch.nn.functional.cross_entropy(logits, targets.flatten()).backward()
        adam.step()
    # Adam turns rounding into steps where a gradient is 0 but for rounding: a few numbers differ.
    apart = (weights(training) - weights(other)).abs()
    assert apart.quantile(0.95) < 1e-4 * LR


def test_rates_rise_and_are_shared_out():
    assert [Way("w", warmup=4).rate(s) for s in (1, 2, 4, 9)] == [LR / 4, LR / 2, LR, LR]
    assert Way("w").rate(1) == LR


def test_the_size_is_what_was_moved_over_the_rate():
    before = weights(warmup_purpose._Training(Way("w", warmup=10), 0))
    training, ((_, size, _),) = trained(Way("w", warmup=10), 1)
    moved = (weights(training) - before).square().mean().sqrt() / (LR / 10)
    assert size == pytest.approx(moved.item(), rel=1e-3) == pytest.approx(1.0, abs=0.01)


def test_filling_moves_no_weight_and_shortens_the_first_update():
    fresh, filled = (warmup_purpose._Training(Way("w", fill=n), 0) for n in (0, 20))
    assert torch.equal(weights(fresh), weights(filled))
    _, ((_, size, _),) = trained(Way("w", fill=20), 1)
    assert 0.15 < size < 0.5


def test_a_wipe_makes_the_next_update_a_first_one():
    sizes = {wipe: [size for _, size, _ in trained(Way("w", wipe=wipe), 4)[1]] for wipe in (0, 3)}
    assert sizes[0][:3] == sizes[3][:3]
    assert sizes[0][3] < 0.7 and sizes[3][3] == pytest.approx(1.0, abs=0.01)


def test_clipping_changes_the_path_a_little():
    (_, plain), (_, clipped) = (trained(Way("w", max_norm=c), 3) for c in (math.inf, 0.1))
    assert plain[0] == pytest.approx(clipped[0], abs=0.02)  # a factor: Adam's first step is blind
    assert plain[2] != clipped[2]


def test_all_ways_start_from_the_same_loss():
    first, second = race(WAYS[:1] + WAYS[3:], 2)
    assert len(set(first.losses.values())) == 1 and len(set(second.losses.values())) == 2
    assert first.losses["no warm-up"] == pytest.approx(math.log(24), abs=0.4)
    assert (first.step, second.step) == (1, 2)
    assert set(first.sizes) == set(first.norms) == set(first.losses)


def test_the_norm_is_the_gradient_s_before_clipping():
    (_, (plain,)), (_, (clipped,)) = (trained(Way("w", max_norm=c), 1) for c in (math.inf, 0.1))
    assert plain[2] == clipped[2] and 0.5 < plain[2] < 2


def test_the_same_seed_gives_the_same_race():
    runs = [next(race(WAYS[:1], 1, seed=seed)) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_the_law_of_averaging():
    assert averaged_size(1) == pytest.approx(1.0)
    assert averaged_size(2, 0.5) == pytest.approx(math.sqrt((1 / 3) ** 2 + (2 / 3) ** 2))
    assert averaged_size(2000) == pytest.approx(math.sqrt(0.1 / 1.9))
    for seed in range(3):
        noise = noise_sizes(30, seed=seed)
        assert [noise[t - 1] / averaged_size(t) for t in (1, 3, 10, 30)] == pytest.approx(
            [1.0] * 4, abs=0.06
        )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="warmup must be a whole number >= 0, got -1"):
        Way("w", warmup=-1)
    with pytest.raises(ValueError, match="max_norm must be > 0, got 0"):
        Way("w", max_norm=0.0)
    with pytest.raises(ValueError, match="ways must have at least one entry, got none"):
        race(())
    with pytest.raises(ValueError, match="step must be a whole number >= 1, got 0"):
        averaged_size(0)
