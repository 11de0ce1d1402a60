import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.mechanisms.norms import LayerNorm, RMSNorm, layer_norm, norm_for, rms_norm

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


@pytest.mark.parametrize("name", ["weight", "bias"])
@pytest.mark.parametrize("shape", [(1,), (2,), (5, 2, 3)])
def test_a_gain_or_shift_of_another_shape_is_named(name, shape, as_shipped):
    message = rf"{name} must have shape \(3,\).* got \({shape[0]},"
    with pytest.raises(ValueError, match=message):
        as_shipped(layer_norm)(torch.zeros(2, 3), **{name: torch.ones(shape)})


def test_whole_numbers_and_a_bad_eps_are_named(as_shipped):
    with pytest.raises(TypeError, match="x must hold floating-point numbers, got torch.int64"):
        as_shipped(layer_norm)(torch.ones(2, 3, dtype=torch.long))
    with pytest.raises(ValueError, match="eps must be >= 0, got -1"):
        LayerNorm(3, eps=-1.0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("eps", [1e-5, 1e-12])
def test_half_precision_neither_overflows_nor_loses_eps(dtype, eps):
    long, flat = (torch.randn(2, 768) * 40).to(dtype), torch.ones(1, 4, dtype=dtype)
    actual = layer_norm(long, eps=eps)
    assert actual.dtype == dtype
    expected = functional.layer_norm(long.float(), (768,), eps=eps)
    torch.testing.assert_close(actual.float(), expected, rtol=2e-2, atol=1e-2)
    assert (layer_norm(flat, eps=eps) == 0).all()


@pytest.mark.parametrize("width", [64, 768])
@pytest.mark.parametrize("eps", [1e-5, 1e-12])
def test_equal_features_become_zero_however_large_they_are(width, eps):
    sizes = torch.logspace(-3, 4, 200).unsqueeze(1)
    assert layer_norm(sizes.expand(200, width), eps=eps).abs().max() == 0


def test_a_large_mean_does_not_swallow_a_small_spread():
    spread = torch.randn(50, 768, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = (100 + 1e-4 * spread).float()
    exact = layer_norm(x.double(), eps=1e-12)
    assert (layer_norm(x, eps=1e-12) - exact).abs().max() < 1e-5


def test_weights_of_another_format_get_gradients_of_their_own():
    norm = LayerNorm(6)
    x = torch.randn(3, 6, dtype=torch.bfloat16, requires_grad=True)
    norm(x).sum().backward()
    assert x.grad.dtype == torch.bfloat16 and norm.weight.grad.dtype == torch.float32


def test_rms_norm_equals_torch_in_values_and_gradients():
    ours, theirs = RMSNorm(6, eps=1e-3).double(), nn.RMSNorm(6, eps=1e-3, dtype=torch.float64)
    with torch.no_grad():
        ours.weight.copy_(torch.randn(6))
        theirs.weight.copy_(ours.weight)
    x = (torch.randn(2, 5, 6, dtype=torch.float64) + 2).requires_grad_()
    actual, expected = ours(x), theirs(x)
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)
    upstream = torch.randn_like(x)
    for got, wanted in zip(
        torch.autograd.grad(actual, (x, ours.weight), upstream),
        torch.autograd.grad(expected, (x, theirs.weight), upstream),
        strict=True,
    ):
        torch.testing.assert_close(got, wanted, rtol=1e-11, atol=1e-12)


def test_rms_norm_keeps_the_direction_and_the_mean_s_share():
    x = torch.randn(3, 8, dtype=torch.float64) + 5
    y = rms_norm(x, eps=0.0)
    torch.testing.assert_close(y.square().mean(-1), torch.ones(3, dtype=torch.float64))
    torch.testing.assert_close(torch.cosine_similarity(x, y), torch.ones(3, dtype=torch.float64))


def test_bad_input_to_rms_norm_is_named(as_shipped):
    with pytest.raises(ValueError, match="eps must be >= 0, got -1"):
        rms_norm(torch.ones(3), eps=-1.0)
    with pytest.raises(ValueError, match=r"weight must have shape \(3,\)"):
        as_shipped(rms_norm)(torch.ones(2, 3), torch.ones(2))


def test_rms_norm_in_half_precision_does_not_overflow():
    x = (torch.randn(2, 768) * 300).half()
    assert RMSNorm(768).half()(x).dtype == torch.float16
    torch.testing.assert_close(
        rms_norm(x).float(), functional.rms_norm(x.float(), (768,), eps=1e-6), rtol=2e-3, atol=1e-3
    )


def test_the_gradient_of_rms_norm_by_finite_differences():
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: rms_norm(x, eps=EPS), x)
    strided = torch.randn(5, 2, 3, dtype=torch.float64, requires_grad=True).transpose(0, 2)
    assert torch.autograd.gradcheck(lambda x: rms_norm(x, eps=EPS), strided)


def test_a_norm_by_its_name():
    assert isinstance(norm_for("layer", 5, EPS), LayerNorm)
    made = norm_for("rms", 5, EPS)
    assert isinstance(made, RMSNorm) and (len(made.weight), made.eps) == (5, EPS)
    with pytest.raises(ValueError, match=r"kind must be one of \('layer', 'rms'\), got 'batch'"):
        norm_for("batch", 5, EPS)
