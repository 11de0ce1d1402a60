"""Lesson 42's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import copy
import math

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_42 import adamw_step, share_left


def in_place_as_the_library(w, g, m, v, t, lr, b1, b2, eps, wd):
    w, m, v = w.clone(), m.clone(), v.clone()
    w.mul_(1 - lr * wd)
    m.lerp_(g, 1 - b1)
    v.mul_(b2).addcmul_(g, g, value=1 - b2)
    w.addcdiv_(m, (v.sqrt() / math.sqrt(1 - b2**t)).add_(eps), value=-lr / (1 - b1**t))
    return w, m, v


def by_numpy(w, g, m, v, t, lr, b1, b2, eps, wd):
    w, g, m, v = (np.asarray(x) for x in (w, g, m, v))
    m, v = m + (1 - b1) * (g - m), b2 * v + (1 - b2) * np.square(g)
    return w - lr * (m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps) + wd * w), m, v


def by_torchs_own(w, g, m, v, t, lr, b1, b2, eps, wd):
    w = w.clone()
    w.grad = g
    optimizer = torch.optim.AdamW([w], lr, (b1, b2), eps, wd)
    optimizer.state[w] = {"step": torch.tensor(t - 1.0), "exp_avg": m.clone(),
                          "exp_avg_sq": v.clone()}  # fmt: skip
    optimizer.step()
    return w, optimizer.state[w]["exp_avg"], optimizer.state[w]["exp_avg_sq"]


@pytest.mark.parametrize("right", [in_place_as_the_library, by_numpy, by_torchs_own])
def test_other_right_updates(right):
    assert adamw_step.judge(right).passed


def test_an_update_that_writes_into_what_it_was_given_is_told_so():
    def wrong(w, g, m, v, t, lr, b1, b2, eps, wd):
        new = in_place_as_the_library(w, g, m, v, t, lr, b1, b2, eps, wd)
        for given, made in zip((w, m, v), new, strict=True):
            given.copy_(made)
        return w, m, v

    outcome = adamw_step.judge(wrong)
    assert not outcome.passed or "weights" in outcome.message
    assert torch.equal(adamw_step.cases[0].inputs["m"], torch.zeros(4, dtype=torch.float64))


@pytest.mark.parametrize(
    "right",
    [
        lambda rates, wd: (1 - rates * wd).prod(),
        lambda rates, wd: torch.prod(1 - wd * rates).item(),
        lambda rates, wd: np.prod(1 - wd * np.asarray(rates)),
        lambda rates, wd: math.prod(1 - float(rate) * wd for rate in rates),
        lambda rates, wd: math.exp(sum(math.log(1 - wd * rate) for rate in rates)),
    ],
)
def test_other_right_shares(right):
    assert share_left.judge(right).passed


def test_the_share_is_what_adamw_leaves():
    for case in share_left.cases:
        rates, decay = case.copies()
        weight = torch.tensor([3.0], dtype=torch.float64)
        optimizer = torch.optim.AdamW([weight], weight_decay=decay)
        for rate in rates.tolist():
            weight.grad = torch.zeros(1, dtype=torch.float64)
            optimizer.param_groups[0]["lr"] = rate
            optimizer.step()
        assert weight.item() / 3 == pytest.approx(share_left.reference(rates, decay), rel=1e-6)


def test_the_cases_are_left_as_they_were():
    before = copy.deepcopy([case.inputs for case in adamw_step.cases])
    adamw_step.judge(adamw_step.reference)
    assert str(before) == str([case.inputs for case in adamw_step.cases])
