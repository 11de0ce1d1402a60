"""A layer that is fitted to the end: its gradient is 0, and the pull keeps its weights small."""

import torch
from torch.nn import functional

from course_lib.experiments.logistic_regression import fit_layer

X = torch.randn(40, 5, generator=torch.Generator().manual_seed(0)).double()
LABELS = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()


def fitted(decay, **more):
    return fit_layer(X.float(), LABELS, 3, decay, **more)


def test_at_the_end_nothing_is_left_to_gain():
    layer = fitted(1e-2).double().requires_grad_(True)
    loss = functional.cross_entropy(layer(X), LABELS) + 1e-2 * layer.weight.square().sum()
    loss.backward()
    assert layer.weight.grad.abs().max() < 1e-3
    short = fitted(1e-2, max_iter=1).double().requires_grad_(True)
    loss = functional.cross_entropy(short(X), LABELS) + 1e-2 * short.weight.square().sum()
    loss.backward()
    assert short.weight.grad.abs().max() > 1e-3


def test_more_pull_leaves_smaller_weights_and_the_same_fit_every_time():
    assert fitted(1e-1).weight.norm() < fitted(1e-3).weight.norm()
    assert torch.equal(fitted(1e-2).weight, fitted(1e-2).weight)
    assert not fitted(1e-2).weight.requires_grad
