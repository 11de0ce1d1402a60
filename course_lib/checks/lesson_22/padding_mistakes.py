"""What goes wrong when a causal mask and a padding mask are put together."""

import torch

from course_lib.checks.mistakes import Mistake


def _wrong(make):
    """A wrong function from `make(causal, itself, query, key)`, stretched to the full shape."""

    def wrong(real):
        seq_len = real.shape[1]
        causal = torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
        itself = torch.eye(seq_len, dtype=torch.bool)
        mask = make(causal, itself, real[:, None, :, None], real[:, None, None, :])
        return mask.expand(len(real), 1, seq_len, seq_len).clone()

    return wrong


_right = _wrong(lambda causal, itself, query, key: causal & key | itself & ~key)


def _empty(causal, key):
    return ~(causal & key).any(dim=-1, keepdim=True)


def _by_length(real):
    return _right(torch.arange(real.shape[1]) < real.sum(dim=1, keepdim=True))


def _of_floats(real):
    return torch.tril(torch.ones(real.shape[1], real.shape[1])) & real[:, None, None, :]


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
        "real with real, future open",
        _wrong(lambda causal, itself, query, key: query & key),
        "Real tokens read real tokens in yours, later ones as well, and padding reads nothing. "
        "Which mask hides the future? And what may a padding query read?",
    ),
    Mistake(
        "real with real, future open, everybody reads itself",
        _wrong(lambda causal, itself, query, key: query & key | itself),
        "No row is empty, but a real token reads the real tokens after it. Which mask hides the "
        "future? And may a padding query read itself alone?",
    ),
    Mistake(
        "empty rows",
        _wrong(lambda causal, itself, query, key: causal & key),
        "Right for every real token. But with padding on the left the first rows allow nothing. "
        "What does softmax make of a row like that, and what may a padding query always read?",
    ),
    Mistake(
        "only empty rows read themselves",
        _wrong(lambda causal, itself, query, key: causal & key | itself & _empty(causal, key)),
        "Safe: no row is empty. But the task lets every padding query read itself, also one whose "
        "row is not empty because real tokens stand before it.",
    ),
    Mistake(
        "empty rows read the first key",
        _wrong(
            lambda causal, itself, query, key: (
                causal & key | (torch.arange(len(causal)) == 0) & _empty(causal, key)
            )
        ),
        "You open the first key to rows that would be empty. The task opens another one to every "
        "padding query: which?",
    ),
    Mistake(
        "empty rows opened",
        _wrong(lambda causal, itself, query, key: causal & key | _empty(causal, key)),
        "You open a row that would be empty to everything, the future included. Its output is "
        "never scored, but the task lets it read one key only: which?",
    ),
    Mistake(
        "padding reads everything",
        _wrong(lambda causal, itself, query, key: causal & key | ~query),
        "Right for every real token. But you open the row of a padding query to everything, the "
        "future included. Which one key shall it read besides?",
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
        "padding reads the padding before it",
        _wrong(lambda causal, itself, query, key: causal & (key | ~query)),
        "Your padding queries read all padding before them. Besides what both masks allow, each "
        "may read only itself.",
    ),
    Mistake(
        "padding reads all padding",
        _wrong(lambda causal, itself, query, key: causal & key | ~query & ~key),
        "Right for every real token. But your padding queries read all the padding, also what "
        "comes after them. Which single one shall each read?",
    ),
    Mistake(
        "or in place of and",
        _wrong(lambda causal, itself, query, key: causal | key),
        "A key is open when either mask allows it, so each hole in one mask opens the other. Must "
        "one of them allow it, or both?",
    ),
    Mistake(
        "inverted",
        lambda real: ~_right(real),
        "Is True a key that may be read, or one that is hidden? Yours is the other way round. "
        "(Libraries disagree; this course says True = may be read.)",
    ),
    Mistake(
        "inverted, with no row opened",
        _wrong(lambda causal, itself, query, key: ~causal | ~key),
        "True means hidden in yours, as `nn.MultiheadAttention` wants it; here True = may be read. "
        "And a padding query may read itself, which you do not allow.",
    ),
    Mistake(
        "real inverted",
        _wrong(lambda causal, itself, query, key: causal & ~key),
        "You let the padding be read and hide the tokens. `real` is True at a token: it says "
        "already who may be read.",
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
        lambda real: _right(real)[:, 0],
        "The values are right, but the shape is [batch, query, key]. Attention has [batch, head, "
        "query, key]: without an axis of length 1 the texts would be taken for heads.",
    ),
    Mistake(
        "padding taken to be on the right",
        _by_length,
        "You count the real tokens and take them to stand first. With padding on the left they do "
        "not. `real` says which they are; use it as it is.",
    ),
    Mistake(
        "one text's padding for all",
        lambda real: _right(real[:1]).expand(len(real), -1, -1, -1).clone(),
        "Every text gets the padding of the first one. Where is the batch axis?",
    ),
    Mistake(
        "0 and -inf in place of True and False",
        lambda real: torch.zeros(_right(real).shape).masked_fill(~_right(real), -torch.inf),
        "That is M, the matrix of 0 and -inf that is added to the scores. Asked for is the mask "
        "before that: bool, True where a key may be read.",
    ),
    Mistake(
        "a triangle of floats",
        _of_floats,
        "`torch.ones` makes floats, and `&` wants True and False on both sides. Make the triangle "
        "bool: `torch.ones(..., dtype=torch.bool)`.",
    ),
)
