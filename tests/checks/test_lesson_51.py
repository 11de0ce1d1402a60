"""Lesson 51's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_51 import reheat, top_p
from course_lib.mechanisms.sampling import next_probabilities


def by_softmax(probs, temperature):
    return torch.softmax(probs.log() / temperature, dim=-1)


def by_the_library(probs, temperature):
    return next_probabilities(probs.log(), temperature)


def by_numpy(probs, temperature):
    rows = probs.numpy()
    powers = (rows / rows.max(-1, keepdims=True)) ** (1 / temperature)
    return powers / powers.sum(-1, keepdims=True)


def by_log_sum_exp(probs, temperature):
    z = probs.log() / temperature
    return (z - z.logsumexp(-1, keepdim=True)).exp()


@pytest.mark.parametrize("right", [by_softmax, by_the_library, by_numpy, by_log_sum_exp])
def test_other_right_ways_to_reheat(right):
    assert reheat.judge(right).passed


def cut_by_loops(probs, p):
    rows = probs.reshape(-1, probs.shape[-1])
    result = torch.zeros_like(rows)
    for i, row in enumerate(rows.tolist()):
        total = 0.0
        for j in sorted(range(len(row)), key=lambda j: -row[j]):
            result[i, j] = row[j]
            total += row[j]
            if total >= p:
                break
        result[i] = result[i] / result[i].sum()
    return result.reshape(probs.shape)


def cut_by_the_library(probs, p):
    return next_probabilities(probs.log(), top_p=p)


def cut_with_a_shifted_mask(probs, p):
    """As in many codes: mark what lies behind p, then move the marks by one."""
    ranked, order = torch.sort(probs, descending=True, dim=-1)
    remove = torch.cumsum(ranked, dim=-1) >= p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    probs = probs.masked_fill(torch.zeros_like(remove).scatter(-1, order, remove), 0.0)
    return probs / probs.sum(dim=-1, keepdim=True)


def cut_by_argsort_of_the_order(probs, p):
    order = probs.argsort(dim=-1, descending=True)
    ranked = probs.gather(-1, order)
    kept = (ranked.cumsum(-1) - ranked < p).gather(-1, order.argsort(-1))
    return probs * kept / (probs * kept).sum(-1, keepdim=True)


def cut_by_numpy(probs, p):
    rows = probs.numpy().astype(np.float64)
    order = np.argsort(-rows, axis=-1)
    ranked = np.take_along_axis(rows, order, -1)
    ranked = np.where(ranked.cumsum(-1) - ranked < p - 1e-9, ranked, 0)
    kept = np.zeros_like(rows)
    np.put_along_axis(kept, order, ranked, -1)
    return kept / kept.sum(-1, keepdims=True)


@pytest.mark.parametrize("right", [
    cut_by_loops, cut_by_the_library, cut_with_a_shifted_mask, cut_by_argsort_of_the_order,
    cut_by_numpy,
])  # fmt: skip
def test_other_right_ways_to_cut(right):
    outcome = top_p.judge(right)
    assert outcome.passed, outcome


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-9, 1e-12, 1e-30])
def test_an_epsilon_in_the_logarithm_is_named_whatever_its_size(epsilon):
    outcome = reheat.judge(lambda probs, t: torch.softmax((probs + epsilon).log() / t, -1))
    assert outcome.mistake == "an epsilon in the logarithm"
    clamped = reheat.judge(lambda probs, t: (probs.clamp(min=1e-10).log() / t).softmax(-1))
    assert clamped.mistake == "an epsilon in the logarithm"


def test_an_ascending_cut_hears_which_of_equals_it_keeps():
    def ascending(probs, p):
        ranked, order = probs.sort(-1)
        kept = torch.zeros_like(probs).scatter(
            -1, order, ranked.masked_fill(ranked.cumsum(-1) <= 1 - p + 1e-7, 0.0)
        )
        return kept / kept.sum(-1, keepdim=True)

    assert top_p.judge(ascending).mistake == "the later of equals"


def test_a_threshold_by_the_usual_slip_is_named():
    """The shifted mask without the shift drops the word that reaches p."""

    def unshifted(probs, p):
        ranked, order = probs.sort(-1, descending=True)
        ranked = ranked.masked_fill(ranked.cumsum(-1) > p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ranked)
        return probs / probs.sum(-1, keepdim=True)

    assert top_p.judge(unshifted).mistake == "stops early"
