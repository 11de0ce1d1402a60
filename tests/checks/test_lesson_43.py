"""Lesson 43's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import math

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_43 import after_spike, clip_two, repair_schedule
from course_lib.optim.clipping import clip_by_global_norm
from course_lib.optim.schedules import warmup_cosine


def by_the_library(update, peak, floor, warmup, total):
    return warmup_cosine(
        update + 1, peak=peak, floor=floor, warmup_steps=warmup, total_steps=total
    )


def early_return(update, peak, floor, warmup, total):
    update += 1
    if update <= warmup:
        return peak * update / warmup
    if update > total:
        return floor
    return floor + (peak - floor) * 0.5 * (
        1 + np.cos(np.pi * (update - warmup) / (total - warmup))
    )


def clamped_progress(update, peak, floor, warmup, total):
    step = update + 1
    if step < warmup:
        return torch.tensor(peak * step / warmup)
    progress = min((step - warmup) / (total - warmup), 1.0)
    return torch.tensor(floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress)))


@pytest.mark.parametrize("right", [by_the_library, early_return, clamped_progress])
def test_other_right_repairs(right):
    assert repair_schedule.judge(right).passed


def half_way(update, peak, floor, warmup, total):
    if update >= total:
        return floor
    if update < warmup:
        return peak * (update + 1) / warmup
    return floor + 0.5 * (peak - floor) * (
        1 + math.cos(math.pi * (update - warmup) / (total - warmup))
    )


def lowest(update, peak, floor, warmup, total):
    step = update + 1
    if step < warmup:
        return peak * step / warmup
    progress = (step - warmup) / (total - warmup)
    return max(floor, floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress)))


def only_clamped(update, peak, floor, warmup, total):
    update = min(update, total)
    if update < warmup:
        return peak * update / warmup
    progress = (update - warmup) / (total - warmup)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def cut(early, update, peak, floor, warmup, total, last=None):
    if update + 1 >= total - early:
        return floor if last is None else last
    return by_the_library(update, peak, floor, warmup, total)


def published(update, peak, floor, warmup, total):
    if update < warmup:
        return peak * (update + 1) / (warmup + 1)
    if update > total:
        return floor
    share = (update - warmup) / (total - warmup)
    return floor + 0.5 * (1.0 + math.cos(math.pi * share)) * (peak - floor)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (half_way, "Only the rise counts from 1"),
        (lowest, "`max(rate, floor)` is no remedy"),
        (only_clamped, "update, number 0, still has a rate of 0"),
        (lambda *given: cut(1, *given), "cut before its end"),
        (lambda *given: cut(2, *given), "cut before its end"),
        (lambda *given: cut(0, *given, last=0.0), "your rate is 0"),
        (published, "rise and fall count differently"),
    ],
)
def test_likely_repairs_hear_what_is_wrong(wrong, said):
    outcome = repair_schedule.judge(wrong)
    assert outcome.kind == "failed" and said in outcome.message


def by_torch(matrix, vector, max_norm):
    for g in (a := torch.nn.Parameter(matrix)), (b := torch.nn.Parameter(vector)):
        g.grad = g.detach().clone()
    if not torch.isfinite(torch.cat([matrix.flatten(), vector])).all():
        return matrix, vector
    torch.nn.utils.clip_grad_norm_([a, b], max_norm)
    return a.grad, b.grad


def ours(matrix, vector, max_norm):
    for g in (a := torch.nn.Parameter(matrix)), (b := torch.nn.Parameter(vector)):
        g.grad = g.detach().clone()
    clip_by_global_norm([a, b], max_norm, non_finite="skip")
    return a.grad, b.grad


def by_loops(matrix, vector, max_norm):
    total = 0.0
    for g in matrix, vector:
        for x in g.flatten().tolist():
            total += x * x
    norm = math.sqrt(total)
    if math.isinf(norm) or norm <= max_norm:
        return matrix.clone(), vector.clone()
    return matrix / norm * max_norm, vector / norm * max_norm


def by_numpy(matrix, vector, max_norm):
    everything = np.concatenate([matrix.numpy().ravel(), vector.numpy()])
    norm = np.linalg.norm(everything)
    scale = min(1.0, max_norm / norm) if 0 < norm < np.inf else 1.0
    return matrix.numpy() * scale, vector.numpy() * scale


def with_a_clamp(matrix, vector, max_norm):
    norm = torch.cat([matrix.reshape(-1), vector.reshape(-1)]).norm()
    if not torch.isfinite(norm):
        return matrix, vector
    scale = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return matrix * scale, vector * scale


@pytest.mark.parametrize("right", [by_torch, ours, by_loops, by_numpy, with_a_clamp])
def test_other_right_ways_to_clip(right):
    assert clip_two.judge(right).passed


def in_place(matrix, vector, max_norm):
    norm = (matrix.square().sum() + vector.square().sum()).sqrt()
    if torch.isfinite(norm) and norm > max_norm:
        matrix *= max_norm / norm
        vector *= max_norm / norm
    return matrix, vector


def both(matrix, vector):
    return math.sqrt(sum(x * x for g in (matrix, vector) for x in g.flatten().tolist())) or math.nan


def finite_always(matrix, vector, max_norm):
    n = torch.cat([matrix.flatten(), vector]).norm()
    return (matrix * max_norm / n, vector * max_norm / n) if n < math.inf else (matrix, vector)


def matrix_two_norm(matrix, vector, max_norm):
    norm = torch.sqrt(torch.linalg.matrix_norm(matrix, 2) ** 2 + vector.norm() ** 2)
    if not torch.isfinite(norm) or norm <= max_norm:
        return matrix, vector
    return matrix * max_norm / norm, vector * max_norm / norm


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (in_place, "changes its input `matrix`"),
        (lambda m, v, c: (v, m), "in the wrong order"),
        (lambda m, v, c: m, "Return 2 things"),
        (lambda m, v, c: (m * min(1, c / m.norm()), v * min(1, c / v.norm())), "by its own norm"),
        (lambda m, v, c: (m * c / both(m, v), v * c / both(m, v)), "short ones too"),
        (finite_always, "short ones too"),
    ],
)
def test_likely_clips_hear_what_is_wrong(wrong, said):
    outcome = clip_two.judge(wrong)
    assert outcome.kind in ("failed", "error") and said in outcome.message + outcome.details


def test_the_largest_singular_value_is_no_length():
    assert not clip_two.judge(matrix_two_norm).passed


def by_formula(size, beta1, beta2, later):
    m = 1 + (1 - beta1) * beta1**later * (size - 1)
    v = 1 + (1 - beta2) * beta2**later * (size**2 - 1)
    return m / v**0.5


def by_a_long_run(size, beta1, beta2, later):
    m, v = torch.zeros(()).double(), torch.zeros(()).double()
    for gradient in [1.0] * 20_000 + [size] + [1.0] * later:
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
    return m / v.sqrt()


def by_torch_s_adam(size, beta1, beta2, later):
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    adam = torch.optim.Adam([weight], lr=1.0, betas=(beta1, beta2), eps=0.0)
    for gradient in [1.0] * 20_000 + [size] + [1.0] * later:
        before = weight.item()
        weight.grad = torch.full_like(weight, gradient)
        adam.step()
    return before - weight.item()


def on_top(size, beta1, beta2, later):
    m = 1 + size * (1 - beta1) * beta1**later
    return m / math.sqrt(1 + size**2 * (1 - beta2) * beta2**later)


@pytest.mark.parametrize("right", [by_formula, by_a_long_run])
def test_other_right_ways_to_foretell_a_spike(right):
    assert after_spike.judge(right).passed


def test_the_solution_is_what_torch_s_adam_does():
    for case in ((100.0, 0.9, 0.99, 1), (10.0, 0.8, 0.95, 3)):
        assert after_spike.reference(*case) == pytest.approx(by_torch_s_adam(*case), rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda s, b1, b2, n: by_formula(s, b1, b2, n + 1), "one step too many"),
        (lambda s, b1, b2, n: by_formula(s, b2, b1, n), "memories the wrong way round"),
        (lambda s, b1, b2, n: by_formula(s, b1, b2, 0), "does not depend on `later`"),
        (lambda s, b1, b2, n: by_formula(s, b1, b2, n) ** 2, ""),
        (lambda s, b1, b2, n: -by_formula(s, b1, b2, n), "but for the minus"),
        (lambda s, b1, b2, n: (1 - b1) / (1 - b2) ** 0.5 * (b1 / b2**0.5) ** n, "spike alone"),
        (on_top, "in place of a gradient of 1"),
    ],
)
def test_likely_forecasts_hear_what_is_wrong(wrong, said):
    outcome = after_spike.judge(wrong)
    assert outcome.kind == "failed" and said in outcome.message
