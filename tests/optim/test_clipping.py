import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.optim.clipping import clip_by_global_norm


def parameters_with(*gradients):
    made = []
    for gradient in gradients:
        parameter = torch.nn.Parameter(torch.zeros_like(gradient))
        parameter.grad = gradient.clone()
        made.append(parameter)
    return made


def test_three_four_five():
    a, b = parameters_with(torch.tensor([3.0]), torch.tensor([[0.0, 4.0]]))
    assert clip_by_global_norm([a, b], 1.0) == 5.0
    assert a.grad.tolist() == pytest.approx([0.6])
    assert b.grad.tolist()[0] == pytest.approx([0.0, 0.8])


def test_short_gradients_stay_bit_identical():
    gradient = torch.randn(7, generator=torch.Generator().manual_seed(1)) * 0.01
    (p,) = parameters_with(gradient)
    clip_by_global_norm([p], 1.0)
    assert torch.equal(p.grad, gradient)


def test_agrees_with_torch():
    generator = torch.Generator().manual_seed(2)
    gradients = [torch.randn(n, generator=generator, dtype=torch.float64) for n in (3, 5, 1)]
    ours, theirs = parameters_with(*gradients), parameters_with(*gradients)
    norm = clip_by_global_norm(ours, 0.5)
    assert norm == pytest.approx(torch.nn.utils.clip_grad_norm_(theirs, 0.5).item(), rel=1e-12)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-5, atol=0)


def test_missing_gradients_are_passed_over():
    (p,) = parameters_with(torch.tensor([3.0, 4.0]))
    frozen = torch.nn.Parameter(torch.zeros(3))
    assert clip_by_global_norm((x for x in [frozen, p]), 2.5) == 5.0
    assert frozen.grad is None
    assert p.grad.tolist() == pytest.approx([1.5, 2.0])
    assert clip_by_global_norm([frozen], 1.0) == 0.0
    assert clip_by_global_norm([], 1.0) == 0.0


def test_a_single_tensor_and_a_repeated_one():
    (p,) = parameters_with(torch.tensor([3.0, 4.0]))
    assert clip_by_global_norm([p, p], 10.0) == 5.0  # counted twice it would be 7.07
    assert clip_by_global_norm([p, p], 1.0) == 5.0
    assert p.grad.tolist() == pytest.approx([0.6, 0.8])
    assert clip_by_global_norm(p, math.inf) == pytest.approx(1.0)


def test_half_precision_does_not_overflow():
    (p,) = parameters_with(torch.full((4,), 6e4, dtype=torch.float16))
    assert clip_by_global_norm([p], 1.0) == pytest.approx(1.2e5, rel=1e-3)
    assert p.grad.dtype == torch.float16
    assert p.grad.tolist() == pytest.approx([0.5] * 4, rel=1e-2)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_norm_that_is_not_finite_changes_nothing(bad):
    a, b = parameters_with(torch.tensor([1.0, bad]), torch.tensor([2.0]))
    with pytest.raises(ValueError, match="gradient norm must be finite, got"):
        clip_by_global_norm([a, b], 1.0)
    assert a.grad[0] == 1.0
    assert b.grad.tolist() == [2.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_skip_returns_the_norm_and_changes_nothing(bad):
    a, b = parameters_with(torch.tensor([1.0, bad, 3.0]), torch.tensor([[2.0]]))
    norm = clip_by_global_norm([a, b], 1.0, non_finite="skip")
    assert math.isnan(norm) if math.isnan(bad) else norm == math.inf
    assert (a.grad[0], a.grad[2], b.grad.item()) == (1.0, 3.0, 2.0)


def test_torch_spreads_an_infinite_gradient():
    (p,) = parameters_with(torch.tensor([math.inf, 1.0, 1.0]))
    torch.nn.utils.clip_grad_norm_([p], 1.0)
    assert math.isnan(p.grad[0]) and p.grad[1:].tolist() == [0.0, 0.0]


def test_skip_clips_a_finite_norm_all_the_same():
    (p,) = parameters_with(torch.tensor([3.0, 4.0]))
    assert clip_by_global_norm([p], 1.0, non_finite="skip") == 5.0
    assert p.grad.tolist() == pytest.approx([0.6, 0.8])


def test_an_unknown_policy_is_named():
    (p,) = parameters_with(torch.tensor([3.0]))
    with pytest.raises(ValueError, match=r"non_finite must be one of .*, got 'zero'"):
        clip_by_global_norm([p], 1.0, non_finite="zero")
    assert p.grad.tolist() == [3.0]


@given(
    values=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12),
    cut=st.integers(0, 12),
    max_norm=st.floats(0.01, 100),
)
def test_one_factor_for_all_as_torch_has_it(values, cut, max_norm):
    whole = torch.tensor(values, dtype=torch.float64)
    ours = parameters_with(whole[:cut].clone(), whole[cut:].clone())
    theirs = parameters_with(whole[:cut].clone(), whole[cut:].clone())
    norm = clip_by_global_norm(ours, max_norm)
    torch.nn.utils.clip_grad_norm_(theirs, max_norm)
    clipped, expected = (torch.cat([p.grad for p in ps]) for ps in (ours, theirs))
    assert norm == pytest.approx(whole.norm().item())
    assert clipped.norm() <= max_norm * (1 + 1e-12)
    torch.testing.assert_close(clipped, whole * min(1.0, max_norm / norm if norm else 1.0))
    # torch adds 1e-6 to the norm that it divides by
    torch.testing.assert_close(clipped, expected, rtol=2e-6 / max_norm, atol=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_max_norm_must_be_positive(bad):
    (p,) = parameters_with(torch.tensor([3.0]))
    with pytest.raises(ValueError, match="max_norm must be > 0, got"):
        clip_by_global_norm([p], bad)
    assert p.grad.tolist() == [3.0]
