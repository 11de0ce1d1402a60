"""Answers to lesson 11 as learners write them, and what the course's own tokenizer gives."""

from itertools import pairwise

import numpy as np
import pytest

from course_lib.checks import lesson_11
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.bpe.naive import merge_pair

merge_step, decode = lesson_11.merge_step, lesson_11.decode


def in_place(ids, pair, new_id):
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i : i + 2] = [new_id]
        i += 1
    return ids


def with_a_flag(ids, pair, new_id):
    merged, skip = [], False
    for left, right in zip(ids, [*ids[1:], None], strict=True):
        if skip:
            skip = False
        elif (left, right) == pair:
            merged.append(new_id)
            skip = True
        else:
            merged.append(left)
    return merged


def by_recursion(ids, pair, new_id):
    if ids[:2] == list(pair):
        return [new_id, *by_recursion(ids[2:], pair, new_id)]
    return [ids[0], *by_recursion(ids[1:], pair, new_id)] if ids else []


def with_a_stack(ids, pair, new_id):
    merged = []
    for one in ids:
        if merged and (merged[-1], one) == pair:
            merged[-1] = new_id
        else:
            merged.append(one)
    return merged


@pytest.mark.parametrize(
    "answer",
    [merge_pair, in_place, with_a_flag, by_recursion, with_a_stack,
     lambda *inputs: tuple(merge_pair(*inputs)),
     lambda *inputs: np.array(merge_pair(*inputs), dtype=np.int64)],
)  # fmt: skip
def test_right_merge_steps_pass(answer):
    assert merge_step.judge(answer).passed


def from_the_end(ids, pair, new_id):
    merged = list(ids)
    for i in reversed(range(len(ids) - 1)):
        if tuple(merged[i : i + 2]) == pair:
            merged[i : i + 2] = [new_id]
    return merged


def left_id_forgotten(ids, pair, new_id):
    merged = []
    for i, both in enumerate([*pairwise(ids), None]):
        if both == pair:
            merged.append(new_id)
        elif i < len(ids):
            merged.append(ids[i])
    return merged


def list_against_tuple(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        found = ids[i : i + 2] == pair
        merged.append(new_id if found else ids[i])
        i += 2 if found else 1
    return merged


def by_text(ids, pair, new_id):
    return eval(str(ids).replace(f"{pair[0]}, {pair[1]}", str(new_id)))


def deleting(ids, pair, new_id):
    for i in range(len(ids) - 1):
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i] = new_id
            del ids[i + 1]
    return ids


def last_appended(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids) - 1:
        found = ids[i] == pair[0] and ids[i + 1] == pair[1]
        merged.append(new_id if found else ids[i])
        i += 2 if found else 1
    merged.append(ids[-1])
    return merged


def two_and_one(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
        i += 1
    return merged


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [(by_text, "the list as writing"), (deleting, "a list that shrinks, id by id"),
     (last_appended, "the last id once more"), (two_and_one, "a step too far"),
     (lambda *inputs: [n for n in merge_pair(*inputs) if n == inputs[2]], "the new ids alone"),
     (from_the_end, "from the right"), (left_id_forgotten, "overlapping pairs"),
     (lambda ids, pair, new_id: list(ids), "the input"),
     (list_against_tuple, "the input"),
     (lambda ids, pair, new_id: [new_id if (a, b) == pair else a for a, b in pairwise(ids)],
      "one id for each pair of neighbours"),
     (lambda ids, pair, new_id: [new_id if i in pair else i for i in ids], "each id by itself")],
)  # fmt: skip
def test_slips_in_the_merge_step_are_named(answer, mistake):
    assert merge_step.judge(answer).mistake == mistake


def test_right_decoders_pass():
    def by_bytearray(ids, vocab):
        raw = bytearray()
        for i in ids:
            raw += vocab[i]
        return raw.decode(errors="replace")

    def by_the_tokenizer(ids, vocab):
        bare = BPETokenizer({300 + b: bytes([b]) for b in range(256)}, [])
        return bare.decode([300 + b for i in ids for b in vocab[i]])

    for answer in (by_bytearray, by_the_tokenizer,
                   lambda ids, vocab: str(b"".join(map(vocab.get, ids)), "utf8", "replace"),
                   lambda ids, vocab: np.str_(by_bytearray(ids, vocab))):
        assert decode.judge(answer).passed  # fmt: skip


def test_slips_in_decoding_are_named():
    def piece_by_piece(ids, vocab):
        text = ""
        for i in ids:
            text += vocab[i].decode("utf-8", "replace")
        return text

    assert decode.judge(piece_by_piece).mistake == "token by token"
    printed = decode.judge(lambda ids, vocab: f"{b''.join(vocab[i] for i in ids)}")
    assert printed.mistake == "the joined bytes as they are printed"
    bare = decode.judge(lambda ids, vocab: b"".join(
        [vocab[i].strip() for i in ids]).decode(errors="replace"))  # fmt: skip
    assert bare.mistake == "spaces of each token taken off"
    assert decode.judge(lambda ids, vocab: " ".join(
        vocab[i].decode("utf8", "replace") for i in ids)).kind == "failed"  # fmt: skip
