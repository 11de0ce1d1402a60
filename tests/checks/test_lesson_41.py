"""Answers to lesson 41 as learners write them, and what the printed snippets really do."""

import pytest
import torch

from course_lib.checks import lesson_41
from course_lib.mechanisms.losses import IGNORE, cross_entropy


def by_loops(token_ids, real):
    targets = torch.full(token_ids.shape, -100)
    for row in range(token_ids.shape[0]):
        for i in range(token_ids.shape[1] - 1):
            if real[row, i] and real[row, i + 1]:
                targets[row, i] = token_ids[row, i + 1]
    return targets


def by_roll(token_ids, real):
    targets = token_ids.roll(-1, dims=1)
    follows = real.roll(-1, dims=1)
    follows[:, -1] = False
    return targets.masked_fill(~(real & follows), -100)


@pytest.mark.parametrize("answer", [by_loops, by_roll])
def test_right_targets_in_other_words(answer):
    assert lesson_41.next_token_targets.judge(answer).passed


def test_the_loss_leaves_out_what_the_targets_leave_out():
    assert IGNORE == -100
    case = lesson_41.next_token_targets.cases[1]
    token_ids, real = case.copies()
    targets = lesson_41.next_token_targets.reference(token_ids, real)
    logits = torch.randn(*token_ids.shape, 90)
    by_row = [
        -logits[row, i].log_softmax(-1)[token_ids[row, i + 1]]
        for row in range(len(real)) for i in range(int(real[row].sum()) - 1)
    ]  # fmt: skip
    torch.testing.assert_close(cross_entropy(logits, targets), torch.stack(by_row).mean())


def masking_by_indices(token_ids, special, draw, fate, strangers, mask_id):
    masked, targets = token_ids.clone(), torch.full_like(token_ids, -100)
    for place in ((draw < 0.15) & (special == 0)).nonzero().tolist():
        place = tuple(place)
        targets[place] = token_ids[place]
        if fate[place] < 0.8:
            masked[place] = mask_id
        elif fate[place] < 0.9:
            masked[place] = strangers[place]
    return masked, targets


def masking_in_place_of_a_copy(token_ids, special, draw, fate, strangers, mask_id):
    token_ids[(draw < 0.15) & ~special & (fate < 0.8)] = mask_id
    return token_ids, token_ids


def test_masking_in_other_words_and_in_place():
    assert lesson_41.repair_masking.judge(masking_by_indices).passed
    outcome = lesson_41.repair_masking.judge(masking_in_place_of_a_copy)
    assert outcome.kind == "failed" and "changes its input `token_ids`" in outcome.message


def test_the_printed_masking_is_half_and_half():
    n = 200_000
    draw, fate = torch.rand(2, n)
    ids, special = torch.full((n,), 7), torch.zeros(n, dtype=torch.bool)
    special[:1000] = True
    strangers = torch.full((n,), 8)
    masked = lesson_41.broken_masking(ids, special, draw, fate, strangers, 3)
    chosen = draw < 0.15
    assert (masked[chosen] == 3).double().mean() == pytest.approx(0.5, abs=0.015)
    assert (masked[chosen] == 8).double().mean() == pytest.approx(0.5, abs=0.015)
    assert (masked[:1000] != 7).any()


def sop_by_rows(first, second, swap):
    rows, segments = [], []
    for a, b, turned in zip(first, second, swap, strict=True):
        front, behind = (b, a) if turned else (a, b)
        rows.append(torch.cat([front, behind]))
        segments.append(torch.tensor([0] * len(front) + [1] * len(behind)))
    return torch.stack(rows), torch.stack(segments), swap.int()


def test_order_by_rows():
    outcome = lesson_41.sop_batch.judge(sop_by_rows)
    assert "dtype" in outcome.message  # labels are int32; the loss wants int64

    def long(*inputs):
        *others, labels = sop_by_rows(*inputs)
        return *others, labels.long()

    assert lesson_41.sop_batch.judge(long).passed


def test_the_printed_labels_do_not_know_the_order():
    first, second = torch.arange(5, 8)[None], torch.arange(20, 24)[None]
    told = lesson_41.broken_sop(first, second, torch.tensor([False]))
    turned = lesson_41.broken_sop(first, second, torch.tensor([True]))
    assert torch.equal(told[2], turned[2]) and told[2].shape == (1, 6) and not told[2].any()
    with pytest.raises(RuntimeError, match="multi-target not supported"):
        torch.nn.functional.cross_entropy(torch.zeros(1, 2), told[2])
