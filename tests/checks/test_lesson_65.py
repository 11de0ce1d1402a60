"""Answers to lesson 65 as learners write them, and the library's own counts."""

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_65 import operations_needed, tokens_to_write
from course_lib.config import GPTConfig
from course_lib.experiments.hidden_pairs import block_cost
from course_lib.experiments.jobs import WRITE, work
from course_lib.experiments.operation_counts import counted
from course_lib.mechanisms.blocks import PreNormBlock


def by_loops(n_words, d_model, causal):
    total = 0
    for i in range(n_words):
        total += 24 * d_model * d_model + 4 * d_model * (i + 1 if causal else n_words)
    return total


def in_floats(n_words, d_model, causal):
    pairs = n_words * (n_words + 1) / 2 if causal else n_words**2
    return 24.0 * n_words * d_model**2 + 4.0 * d_model * pairs


def as_tensor(n_words, d_model, causal):
    return torch.tensor(by_loops(n_words, d_model, causal))


def as_numpy(n_words, d_model, causal):
    return np.int64(by_loops(n_words, d_model, causal))


@pytest.mark.parametrize("answer", [by_loops, in_floats, as_tensor, as_numpy])
def test_right_costs_in_other_words(answer):
    assert operations_needed.judge(answer).passed


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda n, d, c: 24 * n * d**2, "Pairs are missing"),
        (lambda n, d, c: 12 * n * d**2 + 4 * d * pairs(n, c), "the matrices of weights come to h"),
        (lambda n, d, c: by_loops(d, n, c), "have changed places"),
        (lambda n, d, c: 24 * n * d**2 + 2 * d * n * (n + 1), "also with `causal` False"),
        (lambda n, d, c: 24 * d**2 + 4 * d * pairs(n, c), "matrices of weights once"),
        (lambda n, d, c: 12 * n * d**2 + 2 * n**2 * d, "Two things"),
        (lambda n, d, c: n**2 * d, "T² d is what O(T² d) leaves"),
        (lambda n, d, c: 24 * n * d**2 + 2 * pairs(n, c) * d + 2 * n**2 * d, "one of the two prod"),
        (lambda n, d, c: 24 * n * d**2 + 4 * d * (n**2 // 2 if c else n**2), "cuts the diagonal"),
        (lambda n, d, c: 24 * n * d**2 + 4 * d * (n**2 / 2 if c else n**2), "cuts the diagonal"),
    ],
)
def test_wrong_costs_are_told_why(wrong, told):
    assert told in operations_needed.judge(wrong).message


def pairs(n_words, causal):
    return n_words * (n_words + 1) // 2 if causal else n_words**2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda p, n, c: p + n - 1, "as with a cache in both"),
        (lambda p, n, c: closed_form(p, n, False), "as without a cache in both"),
        (lambda p, n, c: p + n - 1 if c else sum(range(p, p + n + 1)), "one pass too many"),
        (lambda p, n, c: p + n - 1 if c else sum(p + i for i in range(n + 1)), "one pass too many"),
        (lambda p, n, c: p + n - 1 if c else sum(p + 1 + i for i in range(n + 1)), "nobody reads"),
        (lambda p, n, c: p + 2 * n if c else closed_form(p, n, c), "two tokens a word"),
        (lambda p, n, c: p if c else closed_form(p, n, c), "the prompt alone"),
        (lambda p, n, c: closed_form(n, p, c), "have changed places"),
        (lambda p, n, c: sum(1 if c else p + i for i in range(n)), "Two things"),
    ],
)
def test_wrong_counts_of_tokens_are_told_why(wrong, told):
    assert told in tokens_to_write.judge(wrong).message


def closed_form(n_prompt, n_new, cached):
    return n_prompt + n_new - 1 if cached else n_new * n_prompt + n_new * (n_new + 1) / 2


def step_by_step(n_prompt, n_new, cached):
    read, length = 0, n_prompt
    for step in range(n_new):
        read += (length if step == 0 else 1) if cached else length + 1
        length += 1
    return torch.tensor(read)


@pytest.mark.parametrize("answer", [closed_form, step_by_step])
def test_right_counts_of_tokens_in_other_words(answer):
    assert tokens_to_write.judge(answer).passed


def test_the_solution_is_what_pytorch_counts():
    block = PreNormBlock(GPTConfig(1, 1, d_model=8, n_layers=1, n_heads=2))
    found = counted(lambda: block(torch.zeros(1, 5, 8)))
    assert operations_needed.reference(5, 8, False) == found
    cost = block_cost(8, 5)
    assert operations_needed.reference(5, 8, True) == cost.matrices + cost.seen


@pytest.mark.parametrize(("family", "cached"), [("BERT", False), ("GPT", True)])
def test_the_solution_is_what_the_models_read(family, cached):
    assert tokens_to_write.reference(7, 3, cached) == work(WRITE, family, 7, 3).tokens
