"""Answers to lesson 62 as learners write them."""

import pytest
import torch

from course_lib.checks import lesson_62
from course_lib.config import BERT_SIZES
from course_lib.models.counting import count_bert_parameters


def by_loops(shown, targets, answers, mask_id):
    counts = torch.zeros(3, 2)
    for s, t, a in zip(shown.flatten(), targets.flatten(), answers.flatten(), strict=True):
        if t == -100:
            continue
        kind = 0 if s == mask_id else 2 if s == t else 1
        counts[kind] += torch.tensor([float(a == t), 1.0])
    return counts[:, 0] / counts[:, 1]


def by_counts(shown, targets, answers, mask_id):
    scored, right = targets >= 0, answers == targets
    kinds = [shown == mask_id, (shown != mask_id) & (shown != targets), shown == targets]
    return torch.tensor([right[scored & k].double().mean().item() for k in kinds])


def in_double(shown, targets, answers, mask_id):
    return lesson_62.right_by_kind.reference(shown, targets, answers, mask_id).double()


@pytest.mark.parametrize("answer", [by_loops, by_counts, in_double])
def test_right_shares_in_other_words(answer):
    assert lesson_62.right_by_kind.judge(answer).passed


def test_every_kind_occurs_in_every_case_and_is_right_and_wrong():
    for case in lesson_62.right_by_kind.cases:
        shown, targets, answers, mask_id = case.copies()
        shares = lesson_62.right_by_kind.reference(shown, targets, answers, mask_id)
        assert shares.isfinite().all() and 0 < shares.min() and len(set(shares.tolist())) == 3


def test_cases_differ_in_what_reads_mask_and_ask_for_the_id_0():
    cases = [case.copies() for case in lesson_62.right_by_kind.cases]
    assert len({mask_id for *_, mask_id in cases}) == len(cases)
    assert any((targets == 0).any() for _, targets, *_ in cases)
    for shown, targets, answers, mask_id in cases:
        assert (shown == mask_id).any()
        assert not (targets == mask_id).any() and not (answers[shown != mask_id] == mask_id).any()


def test_a_complaint_about_numbers_is_not_one_about_the_dtype():
    outcome = lesson_62.right_by_kind.judge(
        lambda shown, targets, answers, mask_id: torch.tensor([0.1, 0.2, 0.3]).double()
    )
    assert "First wrong element" in outcome.message


def test_large_counts_are_written_out():
    outcome = lesson_62.encoder_parameters.judge(
        lambda v, s, d, n: lesson_62.encoder_parameters.reference(v, s, d, n) + 100_000 * (d == 768)
    )
    assert "109,582,240" in outcome.message and "109,482,240" in outcome.message


def test_the_count_is_the_library_s():
    for size in BERT_SIZES.values():
        counted = lesson_62.encoder_parameters.reference(
            size.vocab_size, size.max_seq_len, size.d_model, size.n_layers
        )
        assert counted == count_bert_parameters(size)["total"]


def by_hand(vocab_size, max_seq_len, d_model, n_layers):
    total = (vocab_size + max_seq_len + 2 + 2) * d_model
    for _ in range(n_layers):
        total += 12 * d_model**2 + 13 * d_model
    return torch.tensor(total + d_model * (d_model + 1))


def test_a_right_count_in_other_words():
    assert lesson_62.encoder_parameters.judge(by_hand).passed
