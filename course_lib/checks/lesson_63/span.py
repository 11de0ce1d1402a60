"""Lesson 63: the loss of the head that answers with a span of the text."""

import math

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson_22.told import Told, marks
from course_lib.checks.mistakes import Mistake


def _stub(start, end, first, last, real):
    """The mean surprise at the first and at the last position of the answer, in nats."""
    raise NotImplementedError


def _solution(start, end, first, last, real):
    losses = []
    for scores, right in ((start, first), (end, last)):
        scores = scores.masked_fill(~real, float("-inf"))
        log_p = scores.log_softmax(dim=-1)
        losses.append(-log_p.gather(-1, right[:, None]).mean())
    return (losses[0] + losses[1]) / 2


def _both(surprise):
    """The mean of a surprise at the first positions and at the last ones."""

    def loss(start, end, first, last, real):
        return (surprise(start, first, real) + surprise(end, last, real)) / 2

    return loss


def _surprises(scores, right, real):
    """The surprise at the right position of each text."""
    log_p = scores.masked_fill(~real, float("-inf")).log_softmax(dim=-1)
    return -log_p.gather(-1, right[:, None]).squeeze(-1)


def _summed(start, end, first, last, real):
    return 2 * _solution(start, end, first, last, real)


def _start_alone(start, end, first, last, real):
    return _surprises(start, first, real).mean()


def _end_alone(start, end, first, last, real):
    return _surprises(end, last, real).mean()


def _exchanged(start, end, first, last, real):
    return _solution(start, end, last, first, real)


def _over_all_texts(start, end, first, last, real):
    return (_surprises(start, first, real) + _surprises(end, last, real)).sum() / 2


def _of_texts_and_of_choices_summed(start, end, first, last, real):
    return (_surprises(start, first, real) + _surprises(end, last, real)).sum()


@_both
def _with_padding(scores, right, real):
    return _surprises(scores, right, torch.ones_like(real)).mean()


@_both
def _padding_zeroed(scores, right, real):
    return _surprises(scores * real, right, torch.ones_like(real)).mean()


@_both
def _padding_for_text(scores, right, real):
    log_p = scores.masked_fill(real, -1e4).log_softmax(dim=-1)
    return -log_p.gather(-1, right[:, None]).mean()


@_both
def _among_texts(scores, right, real):
    log_p = scores.masked_fill(~real, -1e4).log_softmax(dim=0)
    return -log_p.gather(-1, right[:, None]).mean()


@_both
def _no_logarithm(scores, right, real):
    p = scores.masked_fill(~real, float("-inf")).softmax(dim=-1)
    return -p.gather(-1, right[:, None]).mean()


@_both
def _no_softmax(scores, right, real):
    return -scores.gather(-1, right[:, None]).mean()


@_both
def _before(scores, right, real):
    return _surprises(scores, right - 1, real).mean()


@_both
def _each_on_its_own(scores, right, real):
    wanted = nn.functional.one_hot(right, scores.shape[-1]).to(scores.dtype)
    each = nn.functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    return each[real].mean()


def _last_excluded(start, end, first, last, real):
    return (_surprises(start, first, real).mean() + _surprises(end, last - 1, real).mean()) / 2


def _jointly(start, end, first, last, real):
    n = real.shape[-1]
    both = torch.cat([start, end], dim=-1).masked_fill(~torch.cat([real, real], dim=-1), -torch.inf)
    log_p = both.log_softmax(dim=-1)
    return -(log_p.gather(-1, first[:, None]) + log_p.gather(-1, n + last[:, None])).mean() / 2


def _mean_probability(start, end, first, last, real):
    chances = [(-_surprises(start, first, real)).exp(), (-_surprises(end, last, real)).exp()]
    return -((chances[0] + chances[1]) / 2).log().mean()


def _in_bits(start, end, first, last, real):
    return _solution(start, end, first, last, real) / math.log(2)


def _without_the_minus(start, end, first, last, real):
    return -_solution(start, end, first, last, real)


@_both
def _softmax_twice(scores, right, real):
    p = scores.masked_fill(~real, float("-inf")).softmax(dim=-1)
    return nn.functional.cross_entropy(p, right)


def _start_masked_alone(start, end, first, last, real):
    end_loss = _surprises(end, last, torch.ones_like(real)).mean()
    return (_surprises(start, first, real).mean() + end_loss) / 2


def _end_masked_alone(start, end, first, last, real):
    start_loss = _surprises(start, first, torch.ones_like(real)).mean()
    return (start_loss + _surprises(end, last, real).mean()) / 2


@_both
def _text_at_minus_infinity(scores, right, real):
    return _surprises(scores, right, ~real).mean()


_MISTAKES = (
    Mistake(
        "bits",
        _in_bits,
        "Your result is in bits. Nats are wanted: the natural logarithm.",
    ),
    Mistake(
        "no minus",
        _without_the_minus,
        "Your sign is wrong. A surprise is minus the logarithm, and never below 0.",
    ),
    Mistake(
        "softmax twice",
        _softmax_twice,
        "You give probabilities to `cross_entropy`, which makes a softmax of its own. Give it the "
        "scores.",
    ),
    Mistake(
        "padding hidden from the start alone",
        _start_masked_alone,
        "You hide padding from the choice of the start only. It must not be chosen as the end "
        "either.",
    ),
    Mistake(
        "padding hidden from the end alone",
        _end_masked_alone,
        "You hide padding from the choice of the end only. It must not be chosen as the start "
        "either.",
    ),
    Mistake(
        "the text at minus infinity",
        _text_at_minus_infinity,
        "You hide the text itself, so that nothing is left to choose. `real` is True at the tokens "
        "of the text; `masked_fill` fills where its mask is True.",
    ),
    Mistake(
        "the sum of both",
        _summed,
        "Your result is twice as large: you add the two losses. The paper says sum, the released "
        "code takes the mean, and so does this course.",
    ),
    Mistake(
        "the start alone",
        _start_alone,
        "You grade the first position only. Nothing tells the other scores where the answer ends.",
    ),
    Mistake(
        "the end alone",
        _end_alone,
        "You grade the last position only. Nothing tells the other scores where the answer begins.",
    ),
    Mistake(
        "first and last exchanged",
        _exchanged,
        "You grade the scores for the start at the last position, and those for the end at the "
        "first one.",
    ),
    Mistake(
        "padding takes part",
        _with_padding,
        "Your softmax gives a share to padding, where no answer can stand. What score must padding "
        "have, so that its share is 0?",
    ),
    Mistake(
        "padding scores 0",
        _padding_zeroed,
        "You set the scores of padding to 0. A score of 0 still takes a share of the softmax, "
        "since exp(0) is 1.",
    ),
    Mistake(
        "the text is hidden",
        _padding_for_text,
        "You hide the text and leave the padding. `real` is True at the tokens of the text; "
        "`masked_fill` fills where its mask is True.",
    ),
    Mistake(
        "softmax over the texts",
        _among_texts,
        "Your softmax runs over the texts of the batch. The choice is among the positions of one "
        "text, the last axis.",
    ),
    Mistake(
        "no logarithm",
        _no_logarithm,
        "You average the probabilities, with a minus. A surprise is minus their logarithm.",
    ),
    Mistake(
        "no softmax",
        _no_softmax,
        "You take the scores themselves. They are no log-probabilities before a softmax over the "
        "positions.",
    ),
    Mistake(
        "one position too early",
        _before,
        "You look one position before the right one. The positions count from 0, `[CLS]` included.",
    ),
    Mistake(
        "the last position excluded",
        _last_excluded,
        "Your end stands one position too early. `last` is the last token of the answer, not the "
        "one behind it.",
    ),
    Mistake(
        "a yes or no at each position",
        _each_on_its_own,
        "You ask each position on its own whether it is the right one (a sigmoid). But exactly one "
        "is: the positions share one softmax.",
    ),
    Mistake(
        "one softmax for both",
        _jointly,
        "You put all scores into one softmax, so that starts and ends compete. They are two "
        "choices, each with a softmax of its own.",
    ),
    Mistake(
        "logarithm of the mean",
        _mean_probability,
        "You average the two probabilities and take the logarithm then. It is the two surprises "
        "that are averaged.",
    ),
    Mistake(
        "a sum over the texts",
        _over_all_texts,
        "You add the losses of all texts. Take their mean, so that the loss does not grow with the "
        "batch.",
    ),
    Mistake(
        "everything summed",
        _of_texts_and_of_choices_summed,
        "You add everything up, texts and both positions. The loss is a mean over all of it.",
    ),
)


def _case(seed: int, words: str, *texts: str, level: float = 0.0) -> Told:
    """Texts with scores around a level; the answer begins behind the first position."""
    draw, real = torch.Generator().manual_seed(seed), marks(*texts)
    start, end = level + 2 * torch.randn(2, *real.shape, generator=draw)
    first, last = [], []
    for text in texts:
        n_real = text.count("x")
        begins = int(torch.randint(1, n_real - 1, (), generator=draw))
        first.append(begins)
        last.append(int(torch.randint(begins + 1, n_real, (), generator=draw)))
    inputs = {"start": start, "end": end, "first": torch.tensor(first),
              "last": torch.tensor(last), "real": real}  # fmt: skip
    return Told(inputs, words=words)


span_loss = Exercise(
    name="lesson_63.span_loss",
    task=(
        "Write `span_loss(start, end, first, last, real)`. `start` and `end` are the head's "
        "scores, `[batch, seq]`: how well each position would do as the first and as the last one "
        "of the answer. `first` and `last` are the right positions, `[batch]`; both belong to the "
        "answer. `real` is False at padding, where no answer can stand. Return one number: the "
        "mean surprise in nats, over the texts and over both choices."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Two choices, each among all positions of its text: a softmax over the last axis, minus "
        "the logarithm at the right place, and the mean. With minus infinity as its score padding "
        "gets the share exp(-inf) = 0."
    ),
    cases=(
        _case(1, "one text of 6 tokens, no padding", "xxxxxx"),
        _case(2, "three texts of 7, 4 and 5 tokens", "xxxxxxx", "xxxx...", "xxxxx.."),
        _case(3, "two texts of 5 and 3 tokens", "xxxxx", "xxx.."),
        _case(4, "two texts with scores around -40", "xxxxx", "xxx..", level=-40.0),
    ),
    mistakes=_MISTAKES,
    hints=(
        "How would you grade a model that has to choose one of seq words? How many such choices "
        "are made here?",
        "`masked_fill` the scores with minus infinity where `real` is False. Then `log_softmax` "
        "over the last axis, and `gather` at the right position. Do it twice.",
        "```python\nlosses = []\nfor scores, right in ((start, first), (end, last)):\n"
        '    scores = scores.masked_fill(~real, float("-inf"))\n    log_p = ...\n'
        "    losses.append(-log_p.gather(-1, right[:, None]).mean())\nreturn ...\n```",
    ),
    returns=("the loss",),
    number=True,
)  # fmt: skip
