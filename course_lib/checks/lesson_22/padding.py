"""Lesson 22, second exercise: a causal mask and a padding mask in one, with no row empty."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(real):
    """Bool [batch, 1, query, key] for `real`, Bool [batch, seq], True = may be read."""
    raise NotImplementedError


def _solution(real):
    seq_len = real.shape[1]
    causal = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    itself = torch.eye(seq_len, dtype=torch.bool)
    key_is_real = real[:, None, None, :]  # [batch, 1, 1, key]
    return causal & key_is_real | itself & ~key_is_real  # [batch, 1, query, key]


def _parts(real):
    """The causal mask, the diagonal, and who is real as query and as key."""
    seq_len = real.shape[1]
    causal = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    itself = torch.eye(seq_len, dtype=torch.bool)
    return causal, itself, real[:, None, :, None], real[:, None, None, :]


def _wrong(make):
    """A wrong function from `make(causal, itself, query, key)`, stretched to the full shape."""

    def wrong(real):
        mask = make(*_parts(real))
        return mask.expand(len(real), 1, real.shape[1], real.shape[1]).clone()

    return wrong


def _opened(causal, itself, query, key):
    both = causal & key
    return both | ~both.any(dim=-1, keepdim=True)


def _by_length(real):
    places = torch.arange(real.shape[1])
    return _solution(places < real.sum(dim=1, keepdim=True))


def _barrier(real):
    return torch.zeros(_solution(real).shape).masked_fill(~_solution(real), -torch.inf)


MISTAKES = (
    Mistake(
        "padding ignored",
        _wrong(lambda causal, itself, query, key: causal),
        "The future is hidden, but every padding token can be read. Where does `real` come in?",
    ),
    Mistake(
        "future open",
        _wrong(lambda causal, itself, query, key: key),
        "The padding is hidden, but each token reads the whole text. Which mask hides the future?",
    ),
    Mistake(
        "future open, everybody reads itself",
        _wrong(lambda causal, itself, query, key: key | itself),
        "The padding is hidden and no row is empty, but each token reads the whole text. Which "
        "mask hides the future?",
    ),
    Mistake(
        "empty rows",
        _wrong(lambda causal, itself, query, key: causal & key),
        "Right for every real token. But with padding on the left the first rows allow nothing. "
        "What does softmax make of a row like that, and what may a padding query always read?",
    ),
    Mistake(
        "padding on the query axis",
        _wrong(lambda causal, itself, query, key: causal & query),
        "You empty the rows of padding, so padding does not ask. But who may be *read*? That is "
        "the last axis.",
    ),
    Mistake(
        "padding on the query axis, with itself",
        _wrong(lambda causal, itself, query, key: causal & query | itself),
        "Your padding queries read only themselves, but real tokens still read the padding before "
        "them. `real` belongs on the axis of the keys, the last one.",
    ),
    Mistake(
        "padding reads only itself",
        _wrong(lambda causal, itself, query, key: causal & query & key | itself),
        "Right for every real token, and safe. But the task lets a padding query read what both "
        "masks allow, and itself besides: you hide real tokens from it.",
    ),
    Mistake(
        "or in place of and",
        _wrong(lambda causal, itself, query, key: causal | key),
        "A key is open when either mask allows it, so each hole in one mask opens the other. Must "
        "one of them allow it, or both?",
    ),
    Mistake(
        "inverted",
        lambda real: ~_solution(real),
        "Is True a key that may be read, or one that is hidden? Yours is the other way round. "
        "(Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "the past hidden",
        _wrong(lambda causal, itself, query, key: causal.mT & key | itself & ~key),
        "Your triangle has the other half: each token reads itself and what comes after it. Rows "
        "are queries. Is `triu` or `tril` what the past looks like?",
    ),
    Mistake(
        "not its own position",
        _wrong(lambda causal, itself, query, key: causal & ~itself & key | itself & ~key),
        "A real token does not read itself in yours: the diagonal is missing. It knows its own "
        "token and may read it; only what comes after is hidden.",
    ),
    Mistake(
        "no axis for the heads",
        lambda real: _solution(real)[:, 0],
        "The values are right, but the shape is [batch, query, key]. Attention has [batch, head, "
        "query, key]: without an axis of length 1 the texts would be taken for heads.",
    ),
    Mistake(
        "empty rows opened",
        _wrong(_opened),
        "You open a row that would be empty to everything, the future included. Its output is "
        "never scored, but the task lets it read one key only: which?",
    ),
    Mistake(
        "padding reads padding",
        _wrong(lambda causal, itself, query, key: causal & (key | ~query)),
        "Your padding queries read all padding before them. Besides what both masks allow, each "
        "may read only itself.",
    ),
    Mistake(
        "padding taken to be on the right",
        _by_length,
        "You count the real tokens and take them to stand first. With padding on the left they do "
        "not. `real` says which they are; use it as it is.",
    ),
    Mistake(
        "one text's padding for all",
        lambda real: _solution(real[:1]).expand(len(real), -1, -1, -1).clone(),
        "Every text gets the padding of the first one. Where is the batch axis?",
    ),
    Mistake(
        "0 and -inf in place of True and False",
        _barrier,
        "That is M, the matrix of 0 and -inf that is added to the scores. Asked for is the mask "
        "before that: bool, True where a key may be read.",
    ),
)


def _marks(*texts: str) -> torch.Tensor:
    """Write `real` as text: x is a token, a dot is padding."""
    return torch.tensor([[mark == "x" for mark in text] for text in texts])


causal_with_padding = Exercise(
    name="lesson_22.causal_with_padding",
    task=(
        "Write `causal_with_padding(real)`. `real` is bool `[batch, seq]`, True at a token and "
        "False at padding, which may stand on either side. Return the mask of a GPT as bool "
        "`[batch, 1, query, key]`, **True = may be read**: a query reads the real tokens up to its "
        "own place; a padding query reads itself besides, so that no row is empty."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Both masks must allow a key, so `&`. `real[:, None, None, :]` puts the text first and the "
        "keys last; the two axes of length 1 are stretched over heads and queries. The diagonal is "
        "added only where the key is padding: a real token reads itself by the causal mask "
        "already. What a padding query returns means nothing, and nobody reads it, because as a "
        "key it stays hidden from every other query."
    ),
    cases=(
        Case({"real": _marks("xxx")}),
        Case({"real": _marks("xxx..", "xxxx.")}),
        Case({"real": _marks("..xx", ".xxx", "xx..")}),
        Case({"real": _marks("..xxx.", ".xx...")}),
    ),
    mistakes=MISTAKES,
    hints=(
        "Two masks say who may be read. Must one of them allow it, or both? And which rows are "
        "then left with nothing?",
        "`tril` makes the first mask. `real` gets two axes of length 1, so that it lies along the "
        "keys. Then add the diagonal, but only where the key is padding.",
        "```python\ncausal = ...                       # [query, key]\n"
        "key_is_real = real[:, None, ..., :]    # [batch, 1, 1, key]\n"
        "return causal & ... | itself & ...\n```",
    ),
    returns=("the mask",),
)
