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


def test_right_by_luck_of_the_table_s_order_is_not_right():
    def from_the_end(name, table):
        name = name.removeprefix("bert.").replace("encoder.layer.", "blocks.")
        for theirs, ours in reversed(table.items()):
            name = name.replace(theirs, ours)
        return name.replace("gamma", "weight").replace("beta", "bias")

    outcome = our_name.judge(from_the_end)
    assert not outcome.passed and "happens to be right" in outcome.message


@pytest.mark.parametrize(
    ("prefix", "words", "heard"),
    [(True, False, "`gamma` and `beta`"), (True, True, "attention.output.dense"),
     (False, True, "The prefix"), (True, False, "ends in `output.dense`")],
)  # fmt: skip
def test_half_mended_answers_hear_all_that_is_left(prefix, words, heard):
    def answer(name, table):
        name = name.removeprefix("bert.") if prefix else name
        name = our_name.stub.__wrapped__(name, table)
        return name.replace("gamma", "weight").replace("beta", "bias") if words else name

    assert heard in our_name.judge(answer).message


def test_the_table_stays_short_in_messages_and_is_not_to_be_changed():
    outcome = our_name.judge(lambda name, table: name)
    assert len(outcome.message + outcome.details) < 400 and "table = TABLE" in outcome.details

    def cleared(name, table):
        right = by_pattern(name, table)
        table.clear()
        return right

    assert "changes its input `table`" in our_name.judge(cleared).message
    assert our_name.judge(by_pattern).passed


def counted(name, table):
    pieces = name.split(".")
    kind = pieces[-1].replace("gamma", "weight").replace("beta", "bias")
    return f"blocks.{pieces[3]}.{table['.'.join(pieces[4:-1])]}.{kind}"


def test_pieces_counted_from_the_front_hear_of_the_prefix():
    outcome = our_name.judge(counted)
    assert outcome.kind == "error" and "one place earlier" in outcome.message


def test_a_generator_in_brackets_is_not_told_of_yield():
    message = split_c_attn.judge(lambda c_attn: (p.T for p in c_attn.chunk(3, dim=1))).message
    assert "is a generator" in message and "yield" not in message
