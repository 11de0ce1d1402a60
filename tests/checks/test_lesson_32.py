"""Answers to lesson 32 as learners write them, and what the course's own mechanisms give."""

import math

import pytest
import torch

from course_lib.checks import lesson_32
from course_lib.mechanisms.activations import gelu, gelu_tanh
from course_lib.mechanisms.feed_forward import FeedForward, GatedFeedForward


def test_the_course_s_own_mechanisms_pass(as_shipped):
    assert lesson_32.repair_gelu.judge(as_shipped(gelu_tanh)).passed
    assert lesson_32.repair_gelu.judge(
        lambda x: torch.nn.functional.gelu(x, approximate="tanh")
    ).passed


def test_the_first_moment_is_gelu_and_the_moments_are_those_of_draws():
    x = torch.tensor([-1.5, 0.3, 2.0], dtype=torch.float64)
    torch.testing.assert_close(lesson_32.gate_moments.reference(x, 0.0, 1.0)[0], gelu(x))
    mean, variance = lesson_32.gate_moments.reference(x, 0.4, 0.7)
    z = 0.4 + 0.7 * torch.randn(400_000, 1, generator=torch.Generator().manual_seed(0)).double()
    out = x * (z <= x)
    torch.testing.assert_close(out.mean(0), mean, atol=5e-3, rtol=0)
    torch.testing.assert_close(out.var(0), variance, atol=5e-3, rtol=0)


def test_other_right_ways_pass():
    def by_torch(x, mu, sigma):
        p = torch.distributions.Normal(mu, sigma).cdf(x)
        return x * p, x * p * (x - x * p)

    def by_ndtr(x, mu, sigma):
        p = torch.special.ndtr((x - mu) / sigma)
        mean = p * x
        return mean, p * x.square() - mean.square()

    assert lesson_32.gate_moments.judge(by_torch).passed
    assert lesson_32.gate_moments.judge(by_ndtr).passed

    def factored(x):
        u = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)
        return x * torch.sigmoid(2 * u)

    assert lesson_32.repair_gelu.judge(factored).passed


@pytest.mark.parametrize(("d_model", "d_ff"), [(6, 24), (10, 17), (4, 15), (5, 100)])
def test_the_width_is_the_widest_that_fits(d_model, d_ff):
    def size(layer):
        return sum(p.numel() for p in layer.parameters())

    width = lesson_32.gated_width.reference(d_model, d_ff)
    plain = size(FeedForward(d_model, d_ff))
    assert size(GatedFeedForward(d_model, width)) <= plain
    assert size(GatedFeedForward(d_model, width + 1)) > plain
    assert lesson_32.gated_width.judge(
        lambda d, f: math.floor((2 * f + f / d + 1 + 1e-9) / 3)
    ).passed


def test_draws_are_no_exact_moments():
    def drawn(x, mu, sigma):
        out = x * (mu + sigma * torch.randn(10_000, *x.shape, dtype=x.dtype) <= x)
        return out.mean(0), out.var(0)

    outcome = lesson_32.gate_moments.judge(drawn)
    assert outcome.kind == "failed" and not outcome.mistake


def test_the_broken_form_is_far_off_where_it_counts():
    x = torch.linspace(-8, 8, 1601, dtype=torch.float64)
    assert (lesson_32.broken_gelu(x) - gelu(x)).abs().max() > 0.05
    near = torch.tensor([-0.1, 0.0, 0.1], dtype=torch.float64)
    assert (lesson_32.broken_gelu(near) - gelu(near)).abs().max() < 1e-4


def test_a_width_as_a_tensor_is_a_width():
    width = lambda d, f: torch.tensor((2 * d * f + f + d) // (3 * d))  # noqa: E731
    assert lesson_32.gated_width.judge(width).passed


def test_a_mean_without_a_variance_is_told_what_to_return():
    outcome = lesson_32.gate_moments.judge(lambda x, mu, sigma: x)
    assert outcome.kind == "failed" and "Return 2 things" in outcome.message
