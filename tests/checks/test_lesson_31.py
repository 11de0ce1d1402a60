"""Answers to lesson 31 as learners write them, and what the course's own mechanisms give."""

import math

import pytest
import torch
from torch.nn import functional

from course_lib.checks import lesson_31
from course_lib.mechanisms.norms import layer_norm, rms_norm


def by_autograd(norm):
    def gradient(x, gain, upstream, eps):
        x = x.detach().requires_grad_()
        (found,) = torch.autograd.grad(norm(x, gain, eps), x, upstream)
        return found

    return gradient


def test_the_course_s_own_mechanisms_pass():
    assert lesson_31.repair_layer_norm.judge(layer_norm).passed
    assert lesson_31.divide_by_rms.judge(rms_norm).passed
    assert lesson_31.rms_gradient.judge(by_autograd(rms_norm)).passed


def test_torch_s_own_pass():
    def norm(x, gain, shift, eps):
        return functional.layer_norm(x, x.shape[-1:], gain, shift, eps)

    assert lesson_31.repair_layer_norm.judge(norm).passed
    theirs = by_autograd(lambda x, gain, eps: functional.rms_norm(x, x.shape[-1:], gain, eps))
    assert lesson_31.rms_gradient.judge(theirs).passed


def test_other_right_ways_pass():
    def by_squares(x, gain, shift, eps):
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt((centred**2).mean(-1, keepdim=True) + eps) * gain + shift

    def by_std(x, gain, shift, eps):
        std = x.std(-1, keepdim=True, unbiased=False)
        return gain * (x - x.mean(-1, keepdim=True)) / torch.sqrt(std**2 + eps) + shift

    def rms_in_float32(x, gain, eps):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return (gain * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps))).to(x.dtype)

    def by_norm(x, gain, eps):
        size = torch.linalg.vector_norm(x.double(), dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        return (gain * x.double() / torch.sqrt(size**2 + eps)).to(x.dtype)

    for answer in (by_squares, by_std):
        assert lesson_31.repair_layer_norm.judge(answer).passed
    for answer in (rms_in_float32, by_norm):
        assert lesson_31.divide_by_rms.judge(answer).passed


def test_the_gradient_by_the_whole_jacobian_passes():
    def by_jacobian(x, gain, upstream, eps):
        d, s = x.shape[-1], torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
        y = x / s
        jacobian = gain[:, None] * (torch.eye(d).to(x) - y[..., None] * y[..., None, :] / d)
        return (upstream[..., None, :] @ jacobian)[..., 0, :] / s

    assert lesson_31.rms_gradient.judge(by_jacobian).passed


@pytest.mark.parametrize(
    "std",
    [
        lambda x: torch.std(x, dim=-1, keepdim=True),
        lambda x: torch.sqrt(torch.var(x, -1, keepdim=True)),
        lambda x: ((x - x.mean(-1, True)) ** 2).sum(-1, True).div(x.shape[-1] - 1).sqrt(),
    ],
)
def test_only_the_half_that_is_left_is_named(std):
    def inside(x, gain, shift, eps):
        return gain * (x - x.mean(-1, keepdim=True)) / torch.sqrt(std(x) ** 2 + eps) + shift

    assert lesson_31.repair_layer_norm.judge(inside).mistake == "unbiased variance"


def test_an_answer_in_float32_is_told_that_the_dtype_follows_x():
    def answer(x, gain, eps):
        return rms_norm(x.float(), gain.float(), eps)

    outcome = lesson_31.divide_by_rms.judge(answer)
    assert outcome.kind == "failed" and outcome.mistake == "not in the format of x"
    assert "torch.float32" in outcome.details


def mean(x):
    return x.mean(-1, keepdim=True)


def variance(x, **how):
    return x.var(-1, keepdim=True, **{"correction": 0} | how)


NORMS = {
    "an eps of its own": lambda x, g, b, eps: functional.layer_norm(x, x.shape[-1:], g, b),
    "eps as a floor": lambda x, g, b, eps: (
        g * (x - mean(x)) / torch.maximum(variance(x).sqrt(), torch.tensor(eps)) + b
    ),
    "eps as a floor, unbiased": lambda x, g, b, eps: (
        g * (x - mean(x)) / x.std(-1, keepdim=True).clamp(min=eps) + b
    ),
    "mean of the squares minus square of the mean": lambda x, g, b, eps: (
        g * (x - mean(x)) * torch.rsqrt(mean(x**2) - mean(x) ** 2 + eps) + b
    ),
    "sum of the squares": lambda x, g, b, eps: (
        g * (x - mean(x)) / ((x - mean(x)) ** 2).sum(-1, keepdim=True).add(eps).sqrt() + b
    ),
    "two roots": lambda x, g, b, eps: g * (x - mean(x)) / (variance(x) ** 0.5 + eps**0.5) + b,
    "two roots, unbiased": lambda x, g, b, eps: (
        g * (x - mean(x)) / (x.std(-1, keepdim=True) + math.sqrt(eps)) + b
    ),
    "divided by d + 1": lambda x, g, b, eps: (
        g * (x - mean(x)) / torch.sqrt(variance(x, correction=-1) + eps) + b
    ),
    "the input": lambda x, g, b, eps: x,
    "axis 1": lambda x, g, b, eps: (
        g * (x - x.mean(a := min(1, x.ndim - 1), keepdim=True))
        / torch.sqrt(x.var(a, keepdim=True, correction=0) + eps) + b
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NORMS)
def test_slips_in_layer_norm_are_named(name):
    assert lesson_31.repair_layer_norm.judge(NORMS[name]).mistake == name


def rms(x, eps):
    return torch.sqrt(mean(x.square()) + eps)


def rms_norm_in(dtype, x, gain, eps):
    x, gain, back = x.to(dtype), gain.to(dtype), x.dtype
    return (gain * x / torch.sqrt(mean(x**2) + eps)).to(back)


SIZES = {
    "made smaller before squaring": lambda x, g, eps: (
        g * (x / 1000) / (mean((x / 1000) ** 2) + eps / 1e6).sqrt()
    ),
    "gain times x in float16": lambda x, g, eps: ((g * x) / rms(x.float(), eps)).to(x.dtype),
    "in bfloat16": lambda x, g, eps: rms_norm_in(torch.bfloat16, x, g, eps),
    "an eps of 1e-6": lambda x, g, eps: rms_norm(x, g),
    "not in the format of x": lambda x, g, eps: g.numpy() * x.double().numpy() / rms(
        x.double(), eps).numpy(),
    "the input": lambda x, g, eps: x,
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_slips_in_rms_norm_are_named(name):
    assert lesson_31.divide_by_rms.judge(SIZES[name]).mistake == name


def test_the_order_of_llama_s_casts_passes():
    def answer(x, gain, eps):
        return gain * (x.double() / rms(x.double(), eps)).to(x.dtype)

    assert lesson_31.divide_by_rms.judge(answer).passed


@pytest.mark.parametrize("unit", [lambda x: x.abs().amax(-1, True), lambda x: mean(x.abs())])
def test_a_row_scaled_into_range_passes_with_float16_s_own_rounding(unit):
    def answer(x, gain, eps):
        size = unit(x).clamp(min=1e-7 if x.dtype == torch.float16 else 1e-30)
        scaled = x / size
        return gain * scaled / torch.sqrt(mean(scaled.square()) + eps / size / size)

    assert lesson_31.divide_by_rms.judge(answer).passed


def test_a_gradient_that_mixes_two_axes_fails():
    def answer(x, g, u, eps):
        s = rms(x, eps)
        y = x / s
        share = g * u * y
        return (g * u - y * (share.mean() if x.ndim == 2 else mean(share))) / s

    assert not lesson_31.rms_gradient.judge(answer).passed


def test_slips_in_the_gradient_are_named():
    def no_keepdim(x, g, u, eps):
        s = rms(x, eps)
        return (g * u - x / s * (g * u * x / s).mean(-1)) / s

    def output_for_y(x, g, u, eps):
        s = rms(x, eps)
        z = g * x / s
        return (g * u - z * mean(g * u * z)) / s

    found = [lesson_31.rms_gradient.judge(f).mistake for f in (no_keepdim, output_for_y)]
    assert found == ["axis not kept", "output in both places"]
