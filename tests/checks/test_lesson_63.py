"""Answers to lesson 63 as learners write them."""

import pytest
import torch
from torch.nn import functional

from course_lib.checks.lesson_63 import span_loss
from course_lib.models import fine_tuned
from course_lib.models.heads import SpanLogits


def in_torch_s_words(start, end, first, last, real):
    hidden = start.masked_fill(~real, -torch.inf), end.masked_fill(~real, -torch.inf)
    return sum(map(functional.cross_entropy, hidden, (first, last))) / 2


def with_a_large_number(start, end, first, last, real):
    barrier = (~real).to(start.dtype) * -1e9
    one = functional.cross_entropy(start + barrier, first)
    return 0.5 * (one + functional.cross_entropy(end + barrier, last))


def by_loops(start, end, first, last, real):
    total = 0.0
    for i in range(len(real)):
        for scores, right in ((start[i], first[i]), (end[i], last[i])):
            p = scores[real[i]].softmax(-1)  # padding stands at the end
            total -= p[right].log().item()
    return total / (2 * len(real))


def a_tensor_of_one(start, end, first, last, real):
    return torch.tensor(by_loops(start, end, first, last, real), dtype=torch.float32)


def the_library_s(start, end, first, last, real):
    hidden = (scores.masked_fill(~real, -torch.inf) for scores in (start, end))
    return fine_tuned.span_loss(SpanLogits(*hidden), first, last)


@pytest.mark.parametrize(
    "answer", [in_torch_s_words, with_a_large_number, by_loops, a_tensor_of_one, the_library_s]
)
def test_right_losses_in_other_words(answer):
    assert span_loss.judge(answer).passed


def test_answers_of_unequal_length_stand_inside_their_texts():
    for case in span_loss.cases:
        _, _, first, last, real = case.copies()
        assert (first >= 1).all() and (first < last).all() and (last < real.sum(-1)).all()
