"""Lesson 41, third exercise: sentence-order pairs and their labels, made when data is made."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_sop(first, second, swap):
    """Sentence-order labels as they are printed: read off the segment ids."""
    token_ids = torch.cat([first, second], dim=1)
    segment_ids = torch.cat([torch.zeros_like(first), torch.ones_like(second)], dim=1)
    labels = (segment_ids[:, 1:] < segment_ids[:, :-1]).long()
    return token_ids, segment_ids, labels


def _solution(first, second, swap):
    as_told = torch.cat([first, second], dim=1)
    turned = torch.cat([second, first], dim=1)
    token_ids = torch.where(swap[:, None], turned, as_told)
    n_front = torch.where(swap, second.shape[1], first.shape[1])  # tokens of the piece in front
    places = torch.arange(token_ids.shape[1])
    segment_ids = (places >= n_front[:, None]).long()  # 0 in front, whichever piece it is
    return token_ids, segment_ids, swap.long()


def _segments(first, second):
    return torch.cat([torch.zeros_like(first), torch.ones_like(second)], dim=1)


def _carried(first, second, swap):
    """Segment ids that travel with their piece."""
    turned = 1 - _segments(second, first)
    return torch.where(swap[:, None], turned, _segments(first, second))


def _fixed(first, second, swap):
    return _segments(first, second).expand(len(swap), -1).clone()


def _changed(token_ids=None, segment_ids=None, labels=None):
    """The solution with some of its three things replaced."""

    def wrong(first, second, swap):
        right = _solution(first, second, swap)
        made = (token_ids, segment_ids, labels)
        return tuple(
            right[i] if make is None else make(first, second, swap) for i, make in enumerate(made)
        )

    return wrong


def _not_turned(first, second, swap):
    return torch.cat([first, second], dim=1)


def _printed_labels(first, second, swap):
    segment_ids = _segments(first, second)
    return (segment_ids[:, 1:] < segment_ids[:, :-1]).long()


_MISTAKES = (
    Mistake(
        "still read off the segment ids",
        lambda *inputs: broken_sop(*inputs),
        "Your labels are one for each pair of neighbouring tokens, and all 0: the segment ids only "
        "say which piece stands in front. Whether the pieces were turned round is in `swap`.",
    ),
    Mistake(
        "turned, labels still read off",
        _changed(labels=_printed_labels),
        "The pieces are turned round now. The labels still come from the segment ids, one for each "
        "pair of tokens. One label a pair is wanted; who knows it?",
    ),
    Mistake(
        "labels right, nothing turned",
        lambda first, second, swap: (
            _not_turned(first, second, swap), _fixed(first, second, swap), swap.long(),
        ),
        "The labels say which pairs were turned round. But no pair was: the model would be asked "
        "for something that no text shows.",
    ),
    Mistake(
        "segments travel with their piece",
        _changed(segment_ids=_carried),
        "Your segment ids travel with their piece, so every turned pair begins with 1. The model "
        "reads the segment ids: it need not read a single word. Segment 0 is what stands in front.",
    ),
    Mistake(
        "segments of the first lengths",
        _changed(segment_ids=_fixed),
        "The two pieces are not equally long. In a turned pair your segment ids change at the "
        "wrong place.",
    ),
    Mistake(
        "segments all 0",
        _changed(segment_ids=lambda f, s, swap: torch.zeros_like(_fixed(f, s, swap))),
        "Your segment ids are 0 everywhere. The piece behind gets 1.",
    ),
    Mistake(
        "label 1 for the right order",
        _changed(labels=lambda f, s, swap: (~swap).long()),
        "Which label has a pair in its right order? The task says 0, as BERT's numbering has it.",
    ),
    Mistake(
        "swap inverted",
        lambda first, second, swap: (
            *_solution(first, second, ~swap)[:2], swap.long(),
        ),
        "You turn the pairs where `swap` is False, and leave the others.",
    ),
    Mistake(
        "swap and label inverted",
        lambda first, second, swap: _solution(first, second, ~swap),
        "You turn the pairs where `swap` is False, and label them so. True means: turn.",
    ),
    Mistake(
        "all pairs turned when one is",
        lambda first, second, swap: _solution(
            first, second, torch.full_like(swap, bool(swap.any()))
        ),
        "You turn all pairs of the batch or none. Each pair has its own entry of `swap`: "
        "`torch.where` with `swap[:, None]`.",
    ),
    Mistake(
        "all pairs turned when one is, own labels",
        lambda first, second, swap: (
            *_solution(first, second, torch.full_like(swap, bool(swap.any())))[:2], swap.long(),
        ),
        "The labels are right. But you turn all pairs of the batch or none: each pair has its own "
        "entry of `swap`. Use `torch.where` with `swap[:, None]`.",
    ),
    Mistake(
        "labels all 0",
        _changed(labels=lambda f, s, swap: torch.zeros_like(swap).long()),
        "Your labels are 0 for every pair. The segment ids begin with 0 in all of them, turned or "
        "not. Who knows which pairs were turned?",
    ),
    Mistake(
        "segments inverted",
        _changed(segment_ids=lambda f, s, swap: 1 - _solution(f, s, swap)[1]),
        "Your segment ids are 1 in front and 0 behind; the task has it the other way round.",
    ),
    Mistake(
        "labels in a column",
        _changed(labels=lambda f, s, swap: swap.long()[:, None]),
        "Your labels have a second axis. One number a pair is wanted, shape `[batch]`: so does the "
        "cross-entropy over two logits want it.",
    ),
    Mistake(
        "one label a token",
        _changed(labels=lambda f, s, swap: swap.long()[:, None].expand_as(_fixed(f, s, swap))),
        "You give each token a label. The question is asked once a pair, at [CLS].",
    ),
    Mistake(
        "tokens reversed",
        _changed(
            token_ids=lambda f, s, swap: torch.where(
                swap[:, None], torch.cat([f, s], 1).flip(1), torch.cat([f, s], 1)
            )
        ),
        "You turn the whole row round, word by word. The pieces change places; inside they stay as "
        "they are.",
    ),
)


def _case(n_pairs: int, n_first: int, n_second: int, swap: list[bool], seed: int) -> Case:
    generator = torch.Generator().manual_seed(seed)
    first = torch.randint(5, 90, (n_pairs, n_first), generator=generator)
    second = torch.randint(5, 90, (n_pairs, n_second), generator=generator)
    return Case({"first": first, "second": second, "swap": torch.tensor(swap)})


sop_batch = Exercise(
    name="lesson_41.sop_batch",
    task=(
        "Repair the function below. `first` is `[batch, n]` and `second` `[batch, m]`: two pieces "
        "that followed each other. `swap` is bool `[batch]`: True says that this pair is to be "
        "turned round. Return three things: `token_ids` `[batch, n + m]`; `segment_ids`, 0 for the "
        "piece in front and 1 for the one behind; and `labels` `[batch]`, 1 for a turned pair. "
        "([CLS] and [SEP] are left out here.)"
    ),
    stub=broken_sop,
    reference=_solution,
    explanation=(
        "The label is known when the pair is made, and only then, so that is where it must be "
        "written down. `torch.where` takes a whole row of one tensor or the other. The segment "
        "ids say nothing but where the front piece ends; if they travelled with their piece, they "
        "would give the label away."
    ),
    cases=(
        _case(4, 5, 3, [True, False, False, True], 1),
        _case(3, 2, 6, [False, True, False], 2),
        _case(2, 4, 4, [False, False], 3),
    ),
    mistakes=_MISTAKES,
    hints=(
        "After the pieces stand side by side, can anybody still tell which came first in the text?",
        "Make both versions of each row, as told and turned, and let `swap[:, None]` choose "
        "between them. For the segments: how many tokens stand in front, row by row?",
        "```python\ntoken_ids = torch.where(swap[:, None], ..., as_told)\n"
        "n_front = torch.where(swap, ..., first.shape[1])\n"
        "segment_ids = (torch.arange(...) >= n_front[:, None]).long()\n"
        "return token_ids, segment_ids, ...\n```",
    ),
    returns=("the token ids", "the segment ids", "the labels"),
)
