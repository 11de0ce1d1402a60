import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.mechanisms.norms import LayerNorm, layer_norm

EPS = 0.3  # far larger than in use, so that its place in the formula shows


@pytest.mark.parametrize("affine", [(False, False), (True, False), (True, True), (False, True)])
def test_values_and_gradients_equal_torch(affine):
    x = torch.randn(2, 5, 7, dtype=torch.float64, requires_grad=True)
    weight, bias = (
        torch.randn(7, dtype=torch.float64, requires_grad=True) if wanted else None
        for wanted in affine
    )
    inputs = [tensor for tensor in (x, weight, bias) if tensor is not None]
    actual = layer_norm(x, weight, bias, EPS)
    expected = functional.layer_norm(x, (7,), weight, bias, EPS)
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)
    upstream = torch.randn_like(x)
    for ours, theirs in zip(
        torch.autograd.grad(actual, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)


def test_gradient_by_finite_differences():
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer_norm(x, eps=EPS), x)


def test_module_holds_gain_and_shift_like_torch():
    ours, theirs = LayerNorm(7, EPS), nn.LayerNorm(7, EPS)
    ours.load_state_dict({name: torch.randn(7) for name in theirs.state_dict()})
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 5, 7)
    torch.testing.assert_close(ours(x), theirs(x))


def test_negative_eps_is_named():
    with pytest.raises(ValueError, match="eps must be >= 0, got -1"):
        layer_norm(torch.zeros(3), eps=-1)
