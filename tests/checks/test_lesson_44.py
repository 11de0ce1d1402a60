"""Lesson 44's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import math

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_44 import format_limits, repair_step, skips
from course_lib.optim.spike_guard import SpikeGuard


def limits_by_a_sum(exponent_bits, fraction_bits):
    fraction = 1 + sum(2.0**-i for i in range(1, fraction_bits + 1))
    return fraction * 2.0 ** (2 ** (exponent_bits - 1) - 1), 0.5**fraction_bits


def limits_by_numpy(exponent_bits, fraction_bits):
    gap = np.float64(2.0) ** -fraction_bits
    return np.ldexp(2 - gap, 2 ** (exponent_bits - 1) - 1), gap


def limits_as_tensors(exponent_bits, fraction_bits):
    largest, gap = limits_by_a_sum(exponent_bits, fraction_bits)
    return torch.tensor(largest, dtype=torch.float64), torch.tensor(gap, dtype=torch.float64)


def limits_in_fp32(exponent_bits, fraction_bits):
    return tuple(part.float() for part in limits_as_tensors(exponent_bits, fraction_bits))


RIGHT_LIMITS = [limits_by_a_sum, limits_by_numpy, limits_as_tensors, limits_in_fp32]


@pytest.mark.parametrize("right", RIGHT_LIMITS, ids=lambda f: f.__name__)
def test_other_right_ways_to_the_limits(right):
    assert format_limits.judge(right).passed


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float8_e5m2])
def test_the_limits_are_torchs(dtype):
    bits = {torch.float16: (5, 10), torch.bfloat16: (8, 7), torch.float32: (8, 23)}
    largest, gap = format_limits.reference(*bits.get(dtype, (5, 2)))
    assert (largest, gap) == (torch.finfo(dtype).max, torch.finfo(dtype).eps)


def test_limits_the_wrong_way_round():
    outcome = format_limits.judge(lambda e, f: format_limits.reference(e, f)[::-1])
    assert "wrong order" in outcome.message


def skips_by_the_guard(norms, factor, decay):
    guard = SpikeGuard(factor, decay=decay, settle=0, patience=100)
    return torch.tensor([not guard.lets_in(norm) for norm in norms.tolist()])


def skips_with_tensors(norms, factor, decay):
    average, out = torch.tensor(float("nan")), []
    for norm in norms:
        skip = bool(~torch.isfinite(norm) | (norm > factor * average))
        out.append(skip)
        if not skip:
            average = norm if average.isnan() else average * decay + norm * (1 - decay)
    return torch.tensor(out)


def skips_by_numpy(norms, factor, decay):
    average, out = 0.0, np.zeros(len(norms), dtype=bool)
    for i, norm in enumerate(norms.numpy()):
        if not np.isfinite(norm) or (average and norm > factor * average):
            out[i] = True
        else:
            average = average + (1 - decay) * (norm - average) if average else norm
    return out


def skips_by_lerp(norms, factor, decay):
    average, skipped = None, torch.full((len(norms),), False)
    for i in range(len(norms)):
        n = norms[i].item()
        if math.isnan(n) or math.isinf(n):
            skipped[i] = True
            continue
        if average is None:
            average = n
            continue
        if n > average * factor:
            skipped[i] = True
            continue
        average += (1 - decay) * (n - average)
    return skipped


RIGHT_SKIPS = [skips_by_the_guard, skips_with_tensors, skips_by_numpy, skips_by_lerp]


@pytest.mark.parametrize("right", RIGHT_SKIPS, ids=lambda f: f.__name__)
def test_other_right_ways_to_skip(right):
    assert skips.judge(right).passed


def test_a_list_hears_that_a_tensor_is_wanted():
    outcome = skips.judge(lambda n, f, d: skips.reference(n, f, d).tolist())
    assert outcome.kind == "failed" and "torch.tensor" in outcome.message


def step_in_one_line(master, gradient, scale, lr, max_norm):
    g = gradient.to(torch.float32) / scale
    if not torch.isfinite(g).all():
        return master, scale * 0.5
    return master - lr * g * min(1.0, max_norm / g.norm().item()), scale


def step_with_torchs_clipping(master, gradient, scale, lr, max_norm):
    weight = torch.nn.Parameter(master.clone())
    weight.grad = gradient.float().div(scale)
    if weight.grad.isinf().any() or weight.grad.isnan().any():
        return master, scale / 2
    torch.nn.utils.clip_grad_norm_([weight], max_norm)
    return (weight - lr * weight.grad).detach(), scale


def step_that_looks_first(master, gradient, scale, lr, max_norm):
    if not torch.isfinite(gradient).all():
        return master.clone(), torch.tensor(scale / 2)
    g = gradient.double() / scale
    norm = torch.sqrt((g**2).sum())
    if norm > max_norm:
        g = g * max_norm / norm
    return (master - lr * g).float(), torch.tensor(scale)


def step_that_clips_at_the_scaled_norm(master, gradient, scale, lr, max_norm):
    if not gradient.isfinite().all():
        return master, scale / 2
    g = gradient.float()
    return master - lr / scale * g * torch.clamp(scale * max_norm / g.norm(), max=1.0), scale


def step_by_numpy(master, gradient, scale, lr, max_norm):
    g = gradient.numpy().astype(np.float32) / scale
    if not np.isfinite(g).all():
        return master, scale / 2
    g = g * min(1.0, max_norm / (np.linalg.norm(g) + 1e-6))
    return (master - lr * torch.from_numpy(g)).float(), scale


RIGHT_STEPS = [
    step_in_one_line,
    step_with_torchs_clipping,
    step_that_looks_first,
    step_that_clips_at_the_scaled_norm,
    step_by_numpy,
]


@pytest.mark.parametrize("decays", [0.5, 0.9, 1.0])
def test_an_average_that_decays_otherwise_is_not_right(decays):
    wrong = skips.judge(lambda norms, factor, decay: skips.reference(norms, factor, decays))
    assert not wrong.passed


def test_the_norm_before_the_division_is_the_threshold_s_mistake():
    def mine(master, gradient, scale, lr, max_norm):
        norm = gradient.float().norm()
        true = gradient.float() / scale
        if not true.isfinite().all():
            return master, scale / 2
        return master - lr * true * torch.clamp(max_norm / norm, max=1.0), scale

    assert "clip before you divide" in repair_step.judge(mine).message


@pytest.mark.parametrize("right", RIGHT_STEPS, ids=lambda f: f.__name__)
def test_other_right_repairs(right):
    assert repair_step.judge(right).passed


def test_the_three_bugs_as_given_are_heard_when_written_anew():
    def mine(master, gradient, scale, lr, max_norm):
        shortened = gradient * torch.clamp(max_norm / gradient.float().norm(), max=1.0)
        true = shortened / scale
        return master - lr * true, scale if true.isfinite().all() else scale / 2

    outcome = repair_step.judge(mine)
    assert outcome.kind == "failed"
    for said in ("clip before you divide", "divide in fp16", "still subtract it"):
        assert said in outcome.message


def test_a_change_in_place_is_named():
    def mine(master, gradient, scale, lr, max_norm):
        new, scale = repair_step.reference(master, gradient, scale, lr, max_norm)
        master.copy_(new)
        return master, scale

    assert "changes its input `master`" in repair_step.judge(mine).message
