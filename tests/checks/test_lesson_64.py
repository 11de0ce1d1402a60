"""Lesson 64's exercises: other right ways pass, likely wrong ones hear what is wrong."""

import re

import numpy as np
import pytest
import torch

from course_lib.checks.lesson_64 import our_name, split_c_attn
from course_lib.checks.lesson_64.name import TABLE
from course_lib.models.bert import Bert
from course_lib.models.checkpoints import as_gpt2, bert_names
from course_lib.models.gpt import GPT, GPTConfig


def longest_first(name, table):
    name = name.removeprefix("bert.").replace("encoder.layer.", "blocks.")
    for theirs in sorted(table, key=len, reverse=True):
        name = name.replace(theirs, table[theirs])
    return name.replace("gamma", "weight").replace("beta", "bias")


def by_pattern(name, table):
    pattern = r"(?:bert\.)?encoder\.layer\.(\d+)\.(.*)\.(\w+)"
    layer, part, kind = re.fullmatch(pattern, name).groups()
    kind = kind.replace("gamma", "weight").replace("beta", "bias")
    return ".".join(["blocks", layer, table[part], kind])


@pytest.mark.parametrize("right", [longest_first, by_pattern])
def test_other_right_names(right):
    assert our_name.judge(right).passed


def test_the_table_is_the_library_s():
    from published_bert import SIZES

    names = bert_names(Bert(SIZES))
    for name, stored in names.items():
        if name.startswith("encoder."):
            assert our_name.reference.__wrapped__(name, TABLE) == stored.ours[0]


def by_rows(c_attn):
    width = c_attn.shape[1] // 3
    return tuple(c_attn.T[i * width : (i + 1) * width] for i in range(3))


def by_numpy(c_attn):
    return tuple(np.split(c_attn.numpy().T, 3))


def by_fold(c_attn):
    parts = c_attn.unflatten(1, (3, -1)).permute(1, 2, 0)
    return parts[0], parts[1], parts[2]


def by_width(c_attn):
    return tuple(part.T.contiguous() for part in c_attn.split(c_attn.shape[1] // 3, dim=1))


@pytest.mark.parametrize("right", [by_rows, by_numpy, by_fold, by_width])
def test_other_right_ways_to_split(right):
    assert split_c_attn.judge(right).passed


def test_the_task_is_what_the_library_does():
    model = GPT(GPTConfig(37, 11, 12, 2, 4, d_head=5))
    parts = split_c_attn.reference(as_gpt2(model)["transformer.h.1.attn.c_attn.weight"])
    attn = model.blocks[1].attn
    for part, layer in zip(parts, (attn.q_proj, attn.k_proj, attn.v_proj), strict=True):
        assert torch.equal(part, layer.weight)


def test_a_list_is_told_what_is_asked():
    outcome = split_c_attn.judge(lambda c_attn: list(by_width(c_attn)))
    assert not outcome.passed and "is a list" in outcome.message


def halves(c_attn):
    q, kv = c_attn.T.tensor_split(2)
    return q, kv, kv


def upside_down(c_attn):
    return tuple(part.T.flip(0) for part in c_attn.chunk(3, dim=1))


@pytest.mark.parametrize("wrong", [halves, upside_down, lambda c_attn: c_attn.T])
def test_other_wrong_ways_fail(wrong):
    assert split_c_attn.judge(wrong).kind == "failed"
