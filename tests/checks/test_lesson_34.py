"""Lesson 34's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.checks.lesson_34 import (
    TinyGPT,
    attention_write,
    beside_a_block,
    repair_initialise,
)
from course_lib.experiments.residual_variance import attention_variance


def by_numpy(d, s, w, n):
    return np.mean(1 / np.arange(1, n + 1)) * (d * s * w) ** 2


def by_torch(d, s, w, n):
    return (1 / torch.arange(1, n + 1)).mean() * d**2 * s**2 * w**2


def by_loop(d_model, std, writer_std, n_positions):
    total = 0
    for i in range(n_positions):
        total += d_model * std**2 / (i + 1)
    return total / n_positions * d_model * writer_std**2


def by_the_mask(d, s, w, n):
    shares = torch.ones(n, n, dtype=torch.float64).tril()
    shares /= shares.sum(-1, keepdim=True)
    return (shares.square().sum(-1).mean() * d * s**2 * d * w**2).item()


@pytest.mark.parametrize("right", [by_numpy, by_torch, by_loop, by_the_mask, attention_variance])
def test_other_right_ways_to_foretell(right):
    assert attention_write.judge(right).passed


def test_what_is_foretold_is_what_a_fresh_block_writes():
    found = beside_a_block(attention_write.reference)
    measured, foretold = found.values()
    assert measured == pytest.approx(foretold, rel=0.08)
    unfinished = beside_a_block(attention_write.stub)
    assert unfinished["you foretell"] == "nothing yet (NotImplementedError)"
    assert unfinished["a fresh block writes"] == measured


def harmonic(first, n):
    return sum(1 / k for k in range(first, n + 1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda d, s, w, n: harmonic(2, n) / n * (d * s * w) ** 2, "start too late"),
        (lambda d, s, w, n: harmonic(1, n - 1) / n * (d * s * w) ** 2, "stop too early"),
        (lambda d, s, w, n: math.log(n) / n * (d * s * w) ** 2, "logarithm"),
        (lambda d, s, w, n: (d * s * w) ** 2 / n, "look at the last one alone"),
        (lambda d, s, w, n: harmonic(1, n) / n, "the two matrices"),
        (lambda d, s, w, n: d * s**2, "the variance of one value"),
    ],
)
def test_likely_slips_in_the_forecast_hear_what_is_wrong(wrong, said):
    outcome = attention_write.judge(wrong)
    assert outcome.kind == "failed" and said in outcome.message


def spreads(model):
    return torch.tensor([weight.std().item() for weight in model.parameters()])


def by_modules(model, std, n_layers):
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std)
    for block in model.h:
        for writer in (block["attn"]["c_proj"], block["mlp"]["c_proj"]):
            nn.init.normal_(writer.weight, std=std * (2 * n_layers) ** -0.5)
    return spreads(model)


def by_names_at_once(model, std, n_layers):
    with torch.no_grad():
        for name, weight in model.named_parameters():
            spread = std / math.sqrt(2 * n_layers) if "c_proj" in name else std
            weight.copy_(torch.randn_like(weight) * spread)
    return torch.stack([weight.std() for weight in model.parameters()])


def by_scaling(model, std, n_layers):
    for name, weight in model.named_parameters():
        nn.init.normal_(weight, 0.0, std)
        if name.endswith(".c_proj.weight"):
            weight.data /= math.sqrt(2 * n_layers)
    return spreads(model).numpy()


def by_its_own_generator(model, std, n_layers):
    torch.manual_seed(7)
    return by_modules(model, std, n_layers)


REPAIRS = [by_modules, by_names_at_once, by_scaling, by_its_own_generator]


@pytest.mark.parametrize("right", REPAIRS, ids=lambda repair: repair.__name__)
def test_other_right_repairs(right):
    assert repair_initialise.judge(right).passed


def test_the_solution_passes_whatever_is_drawn():
    for _ in range(20):
        assert repair_initialise.judge(repair_initialise.reference).passed


def repaired(base, places, root, order="apply first"):
    """The function as given with each place repaired or not."""

    def mine(model, std, n_layers):
        def draw(module):
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, 0.0, base(std))

        if order == "apply first":
            model.apply(draw)
        for name, weight in model.named_parameters():
            if places in name:
                nn.init.normal_(weight, 0.0, std / math.sqrt(root * n_layers))
        if order == "apply last":
            model.apply(draw)
        return spreads(model)

    return mine


@pytest.mark.parametrize(
    ("base", "places", "root", "order", "said", "unsaid"),
    [
        (lambda s: s, "proj", 2, "apply last", "`model.apply(draw)` runs last", "std**2"),
        (lambda s: s**2, "c_proj", 2, "apply last", "`std**2`, the variance", "proj_in"),
        (lambda s: s, "proj", 2, "apply first", "`proj_in` is made smaller", "root of L"),
        (lambda s: s, "c_proj", 1, "apply first", "divided by the root of L", "proj_in"),
        (lambda s: s, "c_fc", 2, "apply first", "`c_fc` smaller, which widens", "root of L"),
        (lambda s: s**2, "c_proj", 2, "apply first", "`std**2`, the variance", "proj_in"),
        (lambda s: s**2, "proj", 1, "apply first", "`proj_in` is made smaller", "runs last"),
    ],
)
def test_half_way_repairs_hear_what_is_left(base, places, root, order, said, unsaid):
    outcome = repair_initialise.judge(repaired(base, places, root, order))
    assert outcome.kind == "failed"
    assert said in outcome.message and unsaid not in outcome.message


def drawn(writers, base=lambda s: s, ending="c_proj.weight"):
    """All matrices with one spread, then what the names' ending picks with another."""

    def mine(model, std, n_layers):
        for name, weight in model.named_parameters():
            nn.init.normal_(weight, 0.0, base(std))
            if name.endswith(ending):
                nn.init.normal_(weight, 0.0, writers(std, n_layers, name))
        return spreads(model)

    return mine


def without_the_table(model, std, n_layers):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=std)
    for block in model.h:
        for writer in (block["attn"]["c_proj"], block["mlp"]["c_proj"]):
            nn.init.normal_(writer.weight, std=std / math.sqrt(2 * n_layers))
    return spreads(model)


def lost(model, std, n_layers):
    for name, weight in model.named_parameters():
        nn.init.normal_(weight, 0.0, std)
        if "c_proj" in name:
            weight = weight / math.sqrt(2 * n_layers)
    return spreads(model)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (drawn(lambda s, n, _: s / math.sqrt(2 * n), ending="c_proj"), "ends in `.weight`"),
        (lost, "only a change in place"),
        (drawn(lambda s, n, _: s / math.sqrt(2) / n), "Only the 2 stands under your root"),
        (drawn(lambda s, n, _: s / math.sqrt(2) * n), "multiplies by L"),
        (drawn(lambda s, n, _: s**2 / (2 * n), lambda s: s**2), "the writers too, are drawn with"),
        (
            drawn(lambda s, n, name: s / math.sqrt(2 * (int(name.split(".")[1]) + 1))),
            "smaller from block to block",
        ),
        (without_the_table, "`wte`, is never drawn"),
    ],
)
def test_likely_repairs_hear_what_is_wrong(wrong, said):
    outcome = repair_initialise.judge(wrong)
    assert outcome.kind == "failed" and said in outcome.message


def test_every_call_gets_a_model_of_its_own():
    seen = []

    def spoiling(model, std, n_layers):
        seen.append(next(model.parameters()).std().item())
        nn.init.zeros_(next(model.parameters()))
        return by_modules(model, std, n_layers)

    assert repair_initialise.judge(spoiling).passed and min(seen) > 0.5


def test_the_names_are_those_that_the_task_lists():
    names = [name for name, _ in TinyGPT(2).named_parameters()]
    block = ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"]
    wanted = ["wte", "proj_in", *(f"h.{i}.{part}" for i in range(2) for part in block)]
    assert names == [f"{name}.weight" for name in wanted]
