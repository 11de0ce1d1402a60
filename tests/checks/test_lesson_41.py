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


def masking(to_mask=0.8, to_random=0.9, spare=True, hide_all=False):
    """A learner's masking, written as assignments one after another."""

    def answer(token_ids, special, draw, fate, strangers, mask_id):
        selected = (draw < 0.15) & ~special if spare else draw < 0.15
        masked = token_ids.clone()
        hidden = selected if hide_all else selected & (fate < to_mask)
        masked[hidden] = mask_id
        swapped = selected & (fate < to_random) & ((fate >= to_mask) | hide_all)
        masked[swapped] = strangers[swapped]
        return masked, torch.where(selected, token_ids, -100)

    return answer


def kept_and_random_exchanged(token_ids, special, draw, fate, strangers, mask_id):
    selected = (draw < 0.15) & ~special
    masked = torch.where(selected & (fate >= 0.9), strangers, token_ids)
    return masked.masked_fill(selected & (fate < 0.8), mask_id), token_ids.masked_fill(
        ~selected, -100
    )


def always_overwritten(token_ids, special, draw, fate, strangers, mask_id):
    masked, targets = masking()(token_ids, special, draw, fate, strangers, mask_id)
    below = (targets != -100) & (fate < 0.9)
    return torch.where(below, strangers, masked), targets


def split_of_all(token_ids, special, draw, fate, strangers, mask_id):
    _, targets = masking()(token_ids, special, draw, fate, strangers, mask_id)
    masked = token_ids.masked_fill(fate < 0.8, mask_id)
    return torch.where((fate >= 0.8) & (fate < 0.9), strangers, masked), targets


def half_of_the_rest(token_ids, special, draw, fate, strangers, mask_id):
    masked, targets = masking(to_random=0.0)(token_ids, special, draw, fate, strangers, mask_id)
    rest = (targets != -100) & (fate >= 0.8) & (fate < 0.5)
    return torch.where(rest, strangers, masked), targets


def special_scored(token_ids, special, draw, fate, strangers, mask_id):
    masked, _ = masking()(token_ids, special, draw, fate, strangers, mask_id)
    return masked, torch.where(draw < 0.15, token_ids, -100)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (masking(hide_all=True, to_random=0.1), "90% [MASK], 10% random, none kept. Hide only"),
        (masking(hide_all=True, to_random=0.1, spare=False), "And special tokens are selected too"),
        (kept_and_random_exchanged, "You keep from 0.8 to 0.9 and swap above"),
        (always_overwritten, "no [MASK] is left"),
        (half_of_the_rest, "No token becomes a random one"),
        (split_of_all, "tokens that were not selected are changed as well"),
        (special_scored, "special tokens have targets"),
    ],
)
def test_likely_maskings_are_named(answer, named):
    outcome = lesson_41.repair_masking.judge(answer)
    assert outcome.kind == "failed" and named in outcome.message


def test_the_learners_masking_is_right_with_bert_s_numbers():
    assert lesson_41.repair_masking.judge(masking()).passed


def filled(columns, ids):
    return torch.cat([columns, torch.full_like(ids[:, :1], -100)], dim=1)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (lambda ids, real: ids[:, 1:].masked_fill(~real[:, 1:], -100), "one column less"),
        (lambda ids, real: filled(ids[:, :-1].masked_fill(~real[:, :-1], -100), ids).roll(1, 1),
         "Your target is the token before"),
        (lambda ids, real: ids.roll(-1, 0), "from text to text"),
        (lambda ids, real: ids.roll(-1, 1).masked_fill(~real.roll(-1, 1), -100), "brings"),
        (lambda ids, real: filled(ids[:, 1:], ids).clamp_min(0), "0 at the last position"),
        (lambda ids, real: filled(ids[:, 1:], ids).clamp_min(0).masked_fill(~real, -100),
         "before padding is asked for the padding"),
    ],
)  # fmt: skip
def test_likely_targets_are_named(answer, named):
    outcome = lesson_41.next_token_targets.judge(answer)
    assert outcome.kind == "failed" and named in outcome.message


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda ids, segments, labels: (ids, segments, labels * 0), "Your labels are 0"),
        (lambda ids, segments, labels: (ids, 1 - segments, labels), "1 in front and 0 behind"),
    ],
)
def test_likely_orders_are_named(change, named):
    def answer(*inputs):
        ids, segments, labels = sop_by_rows(*inputs)
        return change(ids, segments, labels.long())

    outcome = lesson_41.sop_batch.judge(answer)
    assert outcome.kind == "failed" and named in outcome.message


def test_turning_all_pairs_because_one_is_turned_is_named():
    def answer(first, second, swap):
        if swap.any():
            first, second = second, first
        segments = torch.cat([torch.zeros_like(first), torch.ones_like(second)], dim=1)
        return torch.cat([first, second], dim=1), segments, swap.long()

    outcome = lesson_41.sop_batch.judge(answer)
    assert "you turn all pairs of the batch or none" in outcome.message
