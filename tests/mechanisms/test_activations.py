import pytest
import torch
from torch.nn import functional

from course_lib.mechanisms.activations import gelu, gelu_sigmoid, gelu_tanh, relu_squared, silu

FORMS = [(gelu, "none"), (gelu_tanh, "tanh")]


@pytest.mark.parametrize("ours, approximate", FORMS)
def test_values_and_gradients_equal_torch(ours, approximate):
    x = torch.linspace(-9, 9, 1001, dtype=torch.float64, requires_grad=True)
    expected = functional.gelu(x, approximate=approximate)
    torch.testing.assert_close(ours(x), expected, rtol=1e-12, atol=1e-15)
    upstream = torch.randn_like(x)
    torch.testing.assert_close(
        torch.autograd.grad(ours(x), x, upstream),
        torch.autograd.grad(expected, x, upstream),
        rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    assert torch.autograd.gradcheck(ours, torch.randn(7, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize("function, at_one", [(gelu, 0.8413447461), (gelu_tanh, 0.8411919906)])
def test_known_values_at_one(function, at_one):
    assert function(torch.ones((), dtype=torch.float64)).item() == pytest.approx(at_one, abs=5e-11)


def test_silu_equals_torch_in_values_and_gradients():
    x = torch.linspace(-9, 9, 1001, dtype=torch.float64, requires_grad=True)
    expected = functional.silu(x)
    torch.testing.assert_close(silu(x), expected, rtol=1e-12, atol=1e-15)
    torch.testing.assert_close(
        torch.autograd.grad(silu(x).sum(), x), torch.autograd.grad(expected.sum(), x)
    )


def test_relu_squared_equals_the_square_of_relu_in_values_and_gradients():
    x = torch.linspace(-9, 9, 1001, dtype=torch.float64, requires_grad=True)
    expected = functional.relu(x).square()
    torch.testing.assert_close(relu_squared(x), expected)
    upstream = torch.randn_like(x)
    torch.testing.assert_close(
        torch.autograd.grad(relu_squared(x), x, upstream),
        torch.autograd.grad(expected, x, upstream),
    )


def test_the_sigmoid_form_is_a_scaled_silu_and_off_by_two_hundredths():
    x = torch.linspace(-8, 8, 100_001, dtype=torch.float64)
    torch.testing.assert_close(gelu_sigmoid(x), silu(1.702 * x) / 1.702)
    error = (gelu_sigmoid(x) - gelu(x)).abs()
    assert error.max().item() == pytest.approx(0.0203, abs=1e-4)
    assert abs(x[error.argmax()].item()) == pytest.approx(2.27, abs=0.01)


@pytest.mark.parametrize("function", [gelu, gelu_tanh, gelu_sigmoid, relu_squared, silu])
def test_input_is_left_alone(function):
    x = torch.randn(5)
    before = x.clone()
    function(x)
    assert torch.equal(x, before)


@pytest.mark.parametrize("function", [gelu, gelu_tanh, gelu_sigmoid, relu_squared, silu])
def test_whole_numbers_are_named(function, as_shipped):
    with pytest.raises(TypeError, match="x must hold floating-point numbers, got torch.int64"):
        as_shipped(function)(torch.arange(3))


def test_the_slope_of_the_tanh_form_stays_finite_in_half_precision():
    x = torch.tensor([-2000.0, -300.0, 0.5, 300.0, 2000.0], dtype=torch.float16, requires_grad=True)
    gelu_tanh(x).sum().backward()
    assert x.grad.dtype == torch.float16
    torch.testing.assert_close(x.grad[[0, 1, 3, 4]], torch.tensor([0.0, 0, 1, 1]).half())
