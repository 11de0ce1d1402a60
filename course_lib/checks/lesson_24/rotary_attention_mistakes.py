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


def _other(scale=lambda q, v: math.sqrt(q.size(-1)), turn=turned_by, probs=None, keys=None):
    """Queries and keys turned, and another thing wrong: root, pairing, softmax or keys."""
    softmax = probs or (lambda scores: torch.softmax(scores, dim=-1))

    def wrong(q, k, v, angles):
        turned_q, turned_k = turn(q, angles), turn(q if keys == "queries" else k, angles)
        weights = softmax(turned_q @ turned_k.transpose(-2, -1) / scale(q, v))
        return weights @ v, weights

    return wrong


def _in_halves(x, angles):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


def _causal(scores):
    future = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)


def _scores_returned(q, k, v, angles):
    scores = turned_by(q, angles) @ turned_by(k, angles).transpose(-2, -1) / math.sqrt(q.size(-1))
    return torch.softmax(scores, dim=-1) @ v, scores


def _sinusoid_added(q, k, v, angles):
    wave = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
    probs = torch.softmax((q + wave) @ (k + wave).transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


def _from_the_first(q, k, v, angles):
    return _attend(q=1, k=1, v=1)(q, k, v, angles - angles[:1])


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
        "is consistent, but it is another mechanism, and it needs values as wide as the keys: "
        "rotary hands them over untouched.",
    ),
    Mistake(
        "scores multiplied by a cosine",
        _scores_turned_by(lambda a: (a[:, None] - a[None]).cos().mean(dim=-1)),
        "You multiply the finished scores by a cosine of the distance. Rotary turns the vectors "
        "before their product, each pair by its own angle.",
    ),
    Mistake(
        "no scaling",
        _other(scale=lambda q, v: 1.0),
        "The right vectors are turned, but the division by the root of the width is gone (lesson "
        "21).",
    ),
    Mistake(
        "positions counted from the first",
        _from_the_first,
        "You take the first position off the angles, so moving the text on changes nothing, but "
        "the values are still turned: a word's own place in the text stays in what it hands over.",
    ),
    Mistake(
        "keys made of queries",
        _other(keys="queries"),
        "Your keys are turned queries. Is `turn(q)` written where `turn(k)` belongs?",
    ),
    Mistake(
        "queries turned twice",
        _attend(q=2, k=1),
        "Your queries turn twice and your keys once. Is q turned again in the line of the scores?",
    ),
    Mistake(
        "halves in place of neighbours",
        _other(turn=_in_halves),
        "You pair entry 0 with entry d/2. `turn` pairs neighbours, and it was right.",
    ),
    Mistake(
        "root of half the width",
        _other(scale=lambda q, v: math.sqrt(q.size(-1) / 2)),
        "You divide by the root of the number of pairs. A score is a sum over all entries of q "
        "and k (lesson 21).",
    ),
    Mistake(
        "root of the values' width",
        _other(scale=lambda q, v: math.sqrt(v.size(-1))),
        "You divide by the root of the width of the values, which may differ. The scores are "
        "products of q and k.",
    ),
    Mistake(
        "softmax over the queries",
        _other(probs=lambda scores: torch.softmax(scores, dim=-2)),
        "Your softmax runs over the queries. Each query shares out its attention over the keys: "
        "the last axis.",
    ),
    Mistake(
        "a causal mask",
        _other(probs=_causal),
        "You hide the future. The function given has no mask, and none is asked for.",
    ),
    Mistake(
        "scores returned",
        _scores_returned,
        "The outputs are right. The second thing to return is the probabilities, after softmax; "
        "yours are the scores.",
    ),
    Mistake(
        "sinusoid added",
        _sinusoid_added,
        "You add sines and cosines to queries and keys. Rotary turns them instead.",
    ),
)
