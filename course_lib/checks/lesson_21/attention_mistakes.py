"""What goes wrong when attention is repaired: width, scale, softmax and mask."""

import math

import torch

from course_lib.checks.lesson_21.constant import (
    attend,
    constant_message,
    divided_by,
    fit_constant,
)
from course_lib.checks.mistakes import Family, Mistake


def _wrong_width(width):
    """Attention that takes `width(q, k, v)` for d_k."""
    return lambda q, k, v, visible=None: attend(
        q, k, v, visible, factor=1 / math.sqrt(width(q, k, v))
    )


def _still_undefined(q, k, v, visible=None):
    return attend(q, k, v, visible, factor=1 / math.sqrt(d_k))


def _masked_after_softmax(q, k, v, visible=None):
    _, probs = attend(q, k, v, None)
    probs = probs if visible is None else probs * visible
    return probs @ v, probs


def _scaled_after_softmax(q, k, v, visible=None):
    return attend(q, k, v, visible, factor=1.0, after=1 / math.sqrt(q.size(-1)))


def _inverted(q, k, v, visible=None):
    return attend(q, k, v, None if visible is None else ~visible)


def _hidden_with_zero(q, k, v, visible=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores if visible is None else scores * visible
    probs = torch.softmax(scores, dim=-1)
    return probs @ v, probs


MISTAKES = (
    Mistake(
        "d_k is still undefined",
        _still_undefined,
        "`d_k` is read but never set. Which of the inputs knows how wide a query is?",
    ),
    Mistake(
        "number of keys",
        _wrong_width(lambda q, k, v: k.size(-2)),
        "Your d_k is the number of keys, `k.size(-2)`. Does q.k add up as many products as there "
        "are keys, or as many as one key has entries?",
    ),
    Mistake(
        "number of queries",
        _wrong_width(lambda q, k, v: q.size(-2)),
        "Your d_k is the number of queries, `q.size(-2)`. Which axis of q runs over the entries "
        "of one query?",
    ),
    Mistake(
        "width of the values",
        _wrong_width(lambda q, k, v: v.size(-1)),
        "Your d_k is the width of a value. Do the values take part in the scores at all?",
    ),
    Mistake(
        "size of the first axis",
        _wrong_width(lambda q, k, v: q.size(0)),
        "Your d_k is the size of the first axis, `q.size(0)`. That is the batch here. Count the "
        "axes from the end, so that leading axes do not matter.",
    ),
    Mistake(
        "size of the first axis of k",
        _wrong_width(lambda q, k, v: k.size(0)),
        "Your d_k is the size of k's first axis, `k.size(0)` or `len(k)`. That is the number of "
        "keys or the batch, as the case may be. Count the axes from the end.",
    ),
    Mistake(
        "axis 1 of q",
        _wrong_width(lambda q, k, v: q.size(1)),
        "Your d_k is `q.size(1)`. That is the width as long as q has two axes; with a batch in "
        "front it is the number of queries. Which axis is the last however many there are?",
    ),
    Mistake(
        "axis 1 of k",
        _wrong_width(lambda q, k, v: k.size(1)),
        "Your d_k is `k.size(1)`. That is the width as long as k has two axes; with a batch in "
        "front it is the number of keys. Which axis is the last however many there are?",
    ),
    Mistake(
        "axis 2 of q",
        _wrong_width(lambda q, k, v: q.size(2)),
        "`q.size(2)` is the width when q is [batch, query, width]. Here q has only two axes; with "
        "heads it has four. Count from the end instead.",
    ),
    Mistake(
        "axis 3 of q",
        _wrong_width(lambda q, k, v: q.size(3)),
        "`size(3)` is the width when there are a batch and heads in front. Here there are only two "
        "axes. Count from the end instead.",
    ),
    Mistake(
        "no square root",
        lambda q, k, v, visible=None: attend(q, k, v, visible, factor=1 / q.size(-1)),
        "You divide by d_k itself. The scores' standard deviation grows with which power of d_k?",
    ),
    Mistake(
        "no scaling",
        lambda q, k, v, visible=None: attend(q, k, v, visible, factor=1.0),
        "The error is gone, and so is the scaling. What happens to the scores as d_k grows?",
    ),
    Family(
        "a constant",
        divided_by(8.0),
        constant_message(8.0),
        fit_constant,
    ),
    Mistake(
        "multiplies by the square root",
        lambda q, k, v, visible=None: attend(q, k, v, visible, factor=math.sqrt(q.size(-1))),
        "You multiply by sqrt(d_k). Should wide heads get larger scores, or the same?",
    ),
    Mistake(
        "scaled after softmax",
        _scaled_after_softmax,
        "What does a row of your probabilities sum to? The scaling comes after the softmax; it "
        "belongs to the scores.",
    ),
    Mistake(
        "softmax over the queries",
        lambda q, k, v, visible=None: attend(q, k, v, visible, over=-2),
        "Who shares out attention among whom? Your softmax runs over the queries. Each query, one "
        "row, spreads its attention over the keys: the last axis.",
    ),
    Mistake(
        "mask inverted",
        _inverted,
        "Is True in `visible` a key that may be read, or one that is hidden? Yours reads exactly "
        "the hidden ones. (Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "hidden scores are set to 0",
        _hidden_with_zero,
        "You set the scores of hidden keys to 0. What is e^0? A hidden key should get probability "
        "0, so which score must it have before the exponential?",
    ),
    Mistake(
        "mask ignored",
        lambda q, k, v, visible=None: attend(q, k, v, None),
        "All is right until some keys are hidden: `visible` makes no difference in your function.",
    ),
    Mistake(
        "mask after softmax",
        _masked_after_softmax,
        "What do the rows of your probabilities sum to when a key is hidden? You remove it after "
        "the softmax, so its share is lost. Hide it in the scores, with -inf.",
    ),
)
