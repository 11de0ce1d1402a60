import math

import pytest
import torch
from torch.nn import functional

from course_lib.mechanisms.losses import IGNORE, cross_entropy


@pytest.mark.parametrize("ignored", [0, 4])
def test_values_and_gradients_equal_torch(ignored):
    logits = torch.randn(3, 5, 7, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(7, (3, 5))
    targets.view(-1)[:ignored] = IGNORE
    actual = cross_entropy(logits, targets)
    expected = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(
        torch.autograd.grad(actual, logits), torch.autograd.grad(expected, logits)
    )


def test_knowing_nothing_costs_the_logarithm_of_the_vocabulary():
    loss = cross_entropy(torch.zeros(2, 50257, dtype=torch.float64), torch.tensor([3, 50256]))
    assert loss.item() == pytest.approx(10.824905, abs=5e-7) == math.log(50257)


def test_another_ignored_value():
    logits, targets = torch.randn(4, 3), torch.tensor([0, 2, 1, 2])
    torch.testing.assert_close(
        cross_entropy(logits, targets, ignore_index=2), cross_entropy(logits[::2], targets[::2])
    )


def test_sixteen_bits_are_averaged_in_thirty_two():
    logits, targets = torch.randn(50, 300).bfloat16(), torch.randint(300, (50,))
    loss = cross_entropy(logits, targets)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, cross_entropy(logits.float(), targets), rtol=0, atol=0)


def test_stable_for_huge_logits():
    assert cross_entropy(torch.tensor([[1000.0, 0.0]]), torch.tensor([1])).item() == 1000


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([IGNORE, IGNORE], "at least one scored position"),
        ([0, 3], r"\[0, vocab=3\) or be -100, got 3"),
        ([-1, 0], "got -1"),
    ],
)
def test_bad_targets_are_named(targets, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy(torch.zeros(2, 3), torch.tensor(targets))


@pytest.mark.parametrize(
    ("targets", "error", "message"),
    [
        # gather() would score the first two positions and leave the third out.
        (torch.zeros(2, 2, dtype=torch.long), ValueError, r"shape \(2, 3\), got shape \(2, 2\)"),
        (torch.zeros(6, dtype=torch.long), ValueError, r"shape \(2, 3\), got shape \(6,\)"),
        (torch.zeros(2, 3), TypeError, "targets must hold whole numbers .* got torch.float32"),
        ([[0, 0, 0], [0, 0, 0]], TypeError, "targets must be a tensor, got list"),
    ],
)
def test_targets_of_another_shape_or_kind_are_named(targets, error, message, as_shipped):
    with pytest.raises(error, match=message):
        as_shipped(cross_entropy)(torch.zeros(2, 3, 5), targets)
