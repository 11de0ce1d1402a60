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

    for _ in range(3):
        outcome = lesson_32.gate_moments.judge(drawn)
        assert outcome.kind == "failed" and outcome.mistake == "estimated"


def moments(p, x):
    return x * p, x**2 * p * (1 - p)


def phi(t):
    return torch.special.ndtr(t)


def test_right_moments_in_few_decimals_are_told_to_be_exact():
    def rounded(x, mu, sigma):
        return tuple(y.round(decimals=3) for y in moments(phi((x - mu) / sigma), x))

    assert lesson_32.gate_moments.judge(rounded).mistake == "estimated"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("spread for variance", lambda x, m, s: moments(phi((x - m) / s**0.5), x)),
        ("multiplied by the spread", lambda x, m, s: moments(phi((x - m) * s), x)),
        ("only x divided", lambda x, m, s: moments(phi(x / s - m), x)),
        ("mean of Z added", lambda x, m, s: moments(phi((x + m) / s), x)),
        ("mean not squared", lambda x, m, s: (
            x * phi((x - m) / s), x**2 * phi((x - m) / s) - x * phi((x - m) / s))),
        ("variance of the distance", lambda x, m, s: (
            x * phi((x - m) / s), moments(phi((x - m) / s), x - m)[1])),
        ("the standardised number passes, in the mean", lambda x, m, s: (
            gelu((x - m) / s), moments(phi((x - m) / s), x)[1])),
        ("stacked", lambda x, m, s: torch.stack(moments(phi((x - m) / s), x))),
    ],
)  # fmt: skip
def test_a_slip_on_the_way_to_the_probability_is_named(name, wrong):
    assert lesson_32.gate_moments.judge(wrong).mistake == name


def test_any_shape_and_dtype_of_the_input_is_kept():
    def flat(x, mu, sigma):
        return tuple(y.flatten() for y in moments(phi((x - mu) / sigma), x))

    def double(x, mu, sigma):
        return moments(phi((x.double() - mu) / sigma), x.double())

    def one_row(x, mu, sigma):
        ps = [0.5 * (1 + math.erf((v - mu) / (sigma * math.sqrt(2)))) for v in x]
        return moments(torch.tensor(ps, dtype=x.dtype), x)

    def any_shape(x, mu, sigma):
        return tuple(y.view(x.shape) for y in one_row(x.flatten(), mu, sigma))

    for wrong in (flat, double, one_row):
        assert not lesson_32.gate_moments.judge(wrong).passed
    assert lesson_32.gate_moments.judge(any_shape).passed


@pytest.mark.parametrize("root", [0.79788, 0.7978845608, 0.7979])
def test_a_root_written_out_is_right(root):
    def written_out(x):
        return 0.5 * x * (1 + torch.tanh(root * (x + 0.044715 * x**3)))

    assert lesson_32.repair_gelu.judge(written_out).passed


def test_gelu_itself_and_its_other_form_stay_wrong():
    for wrong, name in ((gelu, "exact"), (lambda x: x * torch.sigmoid(1.702 * x), "sigmoid form")):
        assert lesson_32.repair_gelu.judge(wrong).mistake == name


def test_parity_repaired_and_the_sign_left_is_named():
    def half(x):
        root = math.sqrt(2 / math.pi)
        return 0.5 * x * (1 + torch.tanh(root * (x - 0.044715 * x**2 * torch.sign(x))))

    outcome = lesson_32.repair_gelu.judge(half)
    assert outcome.mistake == "square with the sign of x, and a minus"


def test_a_multiple_of_8_is_not_the_widest():
    def rounded(d, f):
        width = (2 * d * f + f + d) // (3 * d)
        return width - width % 8

    assert lesson_32.gated_width.judge(rounded).mistake == "a multiple of 8"


def test_as_many_numbers_is_few_enough():
    def fewer(d, f):
        return math.ceil((2 * d * f + f + d) / (3 * d)) - 1

    assert lesson_32.gated_width.judge(fewer).mistake == "fewer"

    def counted(d, f):
        plain, width = 2 * d * f + f + d, 0
        while 3 * d * (width + 1) <= plain:
            width += 1
        return width

    assert lesson_32.gated_width.judge(counted).passed


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
