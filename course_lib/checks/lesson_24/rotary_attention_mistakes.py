"""What goes wrong when rotary attention is repaired: the wrong vectors turned, or the wrong way."""

import math

import torch

from course_lib.checks.mistakes import Mistake


def turned_by(x, angles):
    """Each pair of neighbours turned by its angle."""
    c, s = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def _attend(q=0, k=0, v=0, z=0):
    """Attention that turns each of its parts so many times by its angles."""

    def wrong(queries, keys, values, angles):
        queries, keys = turned_by(queries, q * angles), turned_by(keys, k * angles)
        values = turned_by(values, v * angles) if v else values
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.size(-1))
        probs = torch.softmax(scores, dim=-1)
        out = probs @ values
        return (turned_by(out, z * angles) if z else out), probs

    return wrong


def _scores_turned_by(factor):
    """Attention whose scores are multiplied by something for each distance."""

    def wrong(q, k, v, angles):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        probs = torch.softmax(scores * factor(angles), dim=-1)
        return probs @ v, probs

    return wrong


def _unscaled(q, k, v, angles):
    probs = torch.softmax(turned_by(q, angles) @ turned_by(k, angles).transpose(-2, -1), dim=-1)
    return probs @ v, probs


MISTAKES = (
    Mistake(
        "values turned too",
        _attend(q=1, k=1, v=1),
        "Your values are still turned. What is handed over then depends on where it stands: the "
        "same word at position 3 and at position 4 gives two different vectors.",
    ),
    Mistake(
        "values turned in place of queries and keys",
        _attend(v=1),
        "You turn the values and nothing else. Which two vectors make a score, and so have to "
        "know where they stand?",
    ),
    Mistake(
        "nothing turned",
        _attend(),
        "Nothing is turned any more. Now the scores know no position at all.",
    ),
    Mistake(
        "queries alone",
        _attend(q=1),
        "You turn the queries only. The score then depends on where the query stands. It is to "
        "depend on the distance: what has to be turned as well?",
    ),
    Mistake(
        "keys alone",
        _attend(k=1),
        "You turn the keys only. The score then depends on where the key stands. It is to depend "
        "on the distance: what has to be turned as well?",
    ),
    Mistake(
        "keys turned backwards",
        _attend(q=1, k=-1),
        "You turn queries forwards and keys backwards. Both turned the same way, the score sees "
        "the difference of their angles. What does yours see?",
    ),
    Mistake(
        "both turned backwards",
        _attend(q=-1, k=-1),
        "You turn both the other way. The scores then depend on the distance too, but with its "
        "sign changed: weights that were trained with one direction do not fit the other.",
    ),
    Mistake(
        "queries and keys turned twice",
        _attend(q=2, k=2),
        "Queries and keys turn by twice their angles. Is `turn` called on what was turned before?",
    ),
    Mistake(
        "queries and values",
        _attend(q=1, v=1),
        "You turn queries and values. The score is made of a query and a key.",
    ),
    Mistake(
        "keys and values",
        _attend(k=1, v=1),
        "You turn keys and values. The score is made of a query and a key.",
    ),
    Mistake(
        "output turned",
        _attend(q=1, k=1, z=1),
        "The scores are right. The output is turned as well, so the same mixture is another "
        "vector at every position.",
    ),
    Mistake(
        "output turned back with turned values",
        _attend(q=1, k=1, v=1, z=-1),
        "You turn the values and turn the output back. Now it depends on distances alone, so it "
        "is consistent, but it is another mechanism: rotary hands the values over untouched.",
    ),
    Mistake(
        "scores multiplied by a cosine",
        _scores_turned_by(lambda a: (a[:, None] - a[None]).cos().mean(dim=-1)),
        "You multiply the finished scores by a cosine of the distance. Rotary turns the vectors "
        "before their product, each pair by its own angle.",
    ),
    Mistake(
        "no scaling",
        _unscaled,
        "The right vectors are turned, but the division by the root of the width is gone (lesson "
        "21).",
    ),
)
