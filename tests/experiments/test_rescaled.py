"""Adam does not see a factor on all gradients; SGD does, and so does a large epsilon."""

import pytest
import torch

from course_lib.experiments.rescaled import weights_after

SHORT = {"n_steps": 4}


def adam(eps):
    return lambda parameters: torch.optim.Adam(parameters, lr=3e-3, eps=eps)


def apart(make, **change):
    changed = weights_after(make, **change, **SHORT) - weights_after(make, **SHORT)
    return changed.abs().max().item()


def test_adam_is_blind_to_a_factor():
    assert apart(adam(1e-100), scale=2.0**-10) < 1e-12


def test_a_large_epsilon_sees_it():
    assert apart(adam(1e-2), scale=2.0**-10) > 1e-4


def test_sgd_sees_it():
    assert apart(lambda p: torch.optim.SGD(p, lr=0.1), scale=2.0**-10) > 1e-3


def test_clipping_every_step_is_no_constant_factor():
    assert apart(adam(1e-100), max_norm=1e-3) > 1e-4


def test_the_seed_sets_weights_and_texts_and_leaves_the_world_alone():
    state = torch.random.get_rng_state()
    one, same, other = (weights_after(adam(1e-8), seed=s, **SHORT) for s in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert torch.equal(state, torch.random.get_rng_state())


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 1, got 0"):
        weights_after(adam(1e-8), n_steps=0)
