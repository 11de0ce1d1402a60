"""What goes wrong when a stream is taken apart: too few terms, sums, the wrong thing read."""

import torch

from course_lib.checks.mistakes import Mistake


def _norm(x, dim=-1, correction=0):
    centred = x - x.mean(dim=dim, keepdim=True)
    return centred / x.var(dim=dim, correction=correction, keepdim=True).sqrt()


def _parts(read=lambda parts: _norm(sum(parts)), write=lambda y, matrix: y @ matrix, order=(0, 1)):
    """The right way, but for what a sublayer reads, how it writes, or which comes first."""

    def wrong(x, attention, feed_forward):
        parts = [x]
        for block in zip(attention, feed_forward, strict=True):
            for i in order:
                parts.append(write(read(parts), block[i]))
        return torch.stack(parts)

    return wrong


_right = _parts()


def _after(change):
    return lambda x, attention, feed_forward: change(_right(x, attention, feed_forward))


def _one_a_block(parts):
    return torch.cat([parts[:1], parts[1::2] + parts[2::2]])


def _parallel(x, attention, feed_forward):
    parts = [x]
    for pair in zip(attention, feed_forward, strict=True):
        read = _norm(sum(parts))
        parts += [read @ matrix for matrix in pair]
    return torch.stack(parts)


def _post(x, attention, feed_forward):
    parts, stream = [x], x
    for pair in zip(attention, feed_forward, strict=True):
        for matrix in pair:
            parts.append(stream @ matrix)
            stream = _norm(stream + parts[-1])
    return torch.stack(parts)


def _without_residual(x, attention, feed_forward):
    """The feed-forward layer reads attention's answer alone."""
    parts = [x]
    for A, F in zip(attention, feed_forward, strict=True):
        parts.append(_norm(sum(parts)) @ A)
        parts.append(_norm(parts[-1]) @ F)
    return torch.stack(parts)


def _one_norm_a_block(x, attention, feed_forward):
    """The feed-forward layer reads the stream as it is."""
    parts = [x]
    for A, F in zip(attention, feed_forward, strict=True):
        parts.append(_norm(sum(parts)) @ A)
        parts.append(sum(parts) @ F)
    return torch.stack(parts)


def _normalised_stream_added(x, attention, feed_forward):
    """Each term holds what the sublayer read as well as what it gave."""
    parts = [x]
    for pair in zip(attention, feed_forward, strict=True):
        for matrix in pair:
            read = _norm(sum(parts))
            parts.append(read + read @ matrix)
    return torch.stack(parts)


def _start_normalised(x, attention, feed_forward):
    return torch.cat([_norm(x)[None], _right(x, attention, feed_forward)[1:]])


def _with_eps(x, eps=1e-5):
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (x.var(dim=-1, correction=0, keepdim=True) + eps).sqrt()


def _over_all(x):
    return (x - x.mean()) / x.var(correction=0).sqrt()


def _all_attention_first(x, attention, feed_forward):
    parts = [x]
    for matrix in (*attention, *feed_forward):
        parts.append(_norm(sum(parts)) @ matrix)
    return torch.stack(parts)


MISTAKES = (
    Mistake(
        "one term a block",
        _after(_one_a_block),
        "You have one term for each block, as in the popular formula. A block has two sublayers, "
        "and each adds a term of its own.",
    ),
    Mistake(
        "input left out",
        _after(lambda parts: parts[1:]),
        "Your terms are those of the sublayers. The input is still in the stream as well.",
    ),
    Mistake(
        "sums instead of terms",
        _after(lambda parts: parts.cumsum(0)),
        "You return the stream at every place. The terms are what was added in between.",
    ),
    Mistake(
        "added up",
        _after(lambda parts: parts.sum(0)),
        "You return the stream that leaves the last block. The terms are asked for, not their sum.",
    ),
    Mistake(
        "norm left out",
        _parts(read=sum),
        "Your sublayers read the stream as it is. In Pre-LN they read it after a layer norm.",
    ),
    Mistake(
        "norm behind the sublayer",
        _parts(read=sum, write=lambda y, matrix: _norm(y @ matrix)),
        "You normalise what a sublayer gives. In Pre-LN the norm stands in front of it.",
    ),
    Mistake(
        "norm behind the sum",
        _post,
        "You normalise the stream after each sum. That is Post-LN, and its stream is no plain sum.",
    ),
    Mistake(
        "input read by all",
        _parts(read=lambda parts: _norm(parts[0])),
        "All your sublayers read the input. Each should read what it finds: the sum so far.",
    ),
    Mistake(
        "last term read",
        _parts(read=lambda parts: _norm(parts[-1])),
        "Your sublayers read what the one before added. They read the whole sum so far.",
    ),
    Mistake(
        "both read the same",
        _parallel,
        "The two sublayers of your blocks read the same stream. The second one reads what the "
        "first has added, too.",
    ),
    Mistake(
        "terms normalised one by one",
        _parts(read=lambda parts: sum(map(_norm, parts))),
        "You normalise each term and add then. The norm reads the sum.",
    ),
    Mistake(
        "feed-forward first",
        _parts(order=(1, 0)),
        "In your blocks the feed-forward layer comes first. Attention does.",
    ),
    Mistake(
        "attention of all blocks first",
        _all_attention_first,
        "You run the attention of all blocks, then all feed-forward layers. They take turns.",
    ),
    Mistake(
        "transposed",
        _parts(write=lambda y, matrix: y @ matrix.T),
        "Your matrices are transposed: multiply what is read by the matrix from the right.",
    ),
    Mistake(
        "library's eps",
        _parts(read=lambda parts: _with_eps(sum(parts))),
        "Your norm adds a small number (eps) to the variance, as the library's does unless it is "
        "told otherwise. Here there is none: `eps=0.0`.",
    ),
    Mistake(
        "RMS norm",
        _parts(read=lambda parts: sum(parts) / sum(parts).square().mean(-1, keepdim=True).sqrt()),
        "Your norm divides by the root mean square and subtracts no mean: that is RMS norm. Layer "
        "norm subtracts the mean first.",
    ),
    Mistake(
        "norm over the positions",
        _parts(read=lambda parts: _norm(sum(parts), dim=0)),
        "Your norm runs over the positions. Layer norm takes each position by itself, over its d "
        "numbers: the last axis.",
    ),
    Mistake(
        "norm over everything",
        _parts(read=lambda parts: _over_all(sum(parts))),
        "Your norm takes one mean and one variance for all positions together. Layer norm takes "
        "each position by itself: `dim=-1, keepdim=True`.",
    ),
    Mistake(
        "residual forgotten",
        _without_residual,
        "Your feed-forward layers read what attention gave, without the stream that it was added "
        "to. They read the whole sum so far.",
    ),
    Mistake(
        "one norm a block",
        _one_norm_a_block,
        "Your feed-forward layers read the stream as it is. Each of the two sublayers of a block "
        "has a layer norm in front of it.",
    ),
    Mistake(
        "what was read is added, too",
        _normalised_stream_added,
        "Your terms hold the normalised stream as well. A sublayer adds what it gives; what it "
        "read is a copy and is not added again.",
    ),
    Mistake(
        "input normalised",
        _start_normalised,
        "Your first term is normalised. The norm makes a copy for the sublayer to read; the "
        "stream keeps the input as it is.",
    ),
    Mistake(
        "stacked in the middle",
        _after(lambda parts: parts.transpose(0, 1)),
        "Your terms are stacked along the second axis. `torch.stack(parts)` puts them first.",
    ),
    Mistake(
        "mean kept",
        _parts(read=lambda parts: sum(parts) / sum(parts).var(-1, correction=0, keepdim=True)
               .sqrt()),
        "Your layer norm does not subtract the mean.",
    ),
    Mistake(
        "divided by the variance",
        _parts(read=lambda parts: _norm(sum(parts))
               / sum(parts).var(-1, correction=0, keepdim=True).sqrt()),
        "Your layer norm divides by the variance. It divides by its root.",
    ),
    Mistake(
        "variance of a sample",
        _parts(read=lambda parts: _norm(sum(parts), correction=1)),
        "Your layer norm divides the squares by d - 1, as `torch.var` does unless it is told "
        "otherwise. Layer norm divides by d.",
    ),
    Mistake(
        "order reversed",
        _after(lambda parts: parts.flip(0)),
        "Your terms stand in reverse order: the input comes first.",
    ),
)  # fmt: skip
