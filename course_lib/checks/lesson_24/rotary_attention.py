"""Lesson 24, third exercise: attention that turns one thing too many."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def broken_rotary_attention(q, k, v, angles):
    """Attention with rotary positions; move all positions on, and its output changes."""

    def turn(x):
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angles), torch.sin(angles)
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    q, k, v = turn(q), turn(k), turn(v)
    probs = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


def _solution(q, k, v, angles):
    def turn(x):
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = torch.cos(angles), torch.sin(angles)
        pairs = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(pairs, dim=-1).flatten(-2)

    q, k = turn(q), turn(k)  # the scores see distances; the values stay as they are
    probs = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return probs @ v, probs


def _turn(x, angles):
    c, s = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def _attend(q=0, k=0, v=0, z=0):
    """Attention that turns each of its parts so many times by its angles."""

    def wrong(queries, keys, values, angles):
        queries, keys = _turn(queries, q * angles), _turn(keys, k * angles)
        values = _turn(values, v * angles) if v else values
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.size(-1))
        probs = torch.softmax(scores, dim=-1)
        out = probs @ values
        return (_turn(out, z * angles) if z else out), probs

    return wrong


def _scores_turned_by(factor):
    """Attention whose scores are multiplied by something for each distance."""

    def wrong(q, k, v, angles):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        probs = torch.softmax(scores * factor(angles), dim=-1)
        return probs @ v, probs

    return wrong


def _unscaled(q, k, v, angles):
    probs = torch.softmax(_turn(q, angles) @ _turn(k, angles).transpose(-2, -1), dim=-1)
    return probs @ v, probs


_MISTAKES = (
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


def _cases() -> tuple[Case, ...]:
    generator = torch.Generator().manual_seed(24)

    def case(*leading: int, seq: int, d_head: int, first: int, d_value: int | None = None) -> Case:
        widths = {"q": d_head, "k": d_head, "v": d_value or d_head}
        vectors = {
            name: torch.randn(*leading, seq, width, generator=generator, dtype=torch.float64)
            for name, width in widths.items()
        }
        theta = 50.0 ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        angles = torch.arange(first, first + seq)[:, None] * theta
        return Case({**vectors, "angles": angles}, extreme=int(d_value is not None))

    return (
        case(seq=3, d_head=4, first=0),
        case(2, seq=5, d_head=8, first=3),
        case(3, 2, seq=4, d_head=6, first=11),
        # Values of another width than the keys cannot be turned by the same angles.
        case(2, seq=3, d_head=8, first=2, d_value=5),
    )


repair_rotary = Exercise(
    name="lesson_24.repair_rotary",
    task=(
        "The function above runs, but its output changes when every position moves on by the same "
        "number, and values of another width stop it. Repair it: the scores have to see the "
        "distance between query and key, and the values have to be handed over as they are. "
        "`angles` has shape `[seq, d/2]`: the angle of each pair at each position. Return the "
        "outputs and the probabilities."
    ),
    stub=broken_rotary_attention,
    reference=_solution,
    explanation=(
        "A score is a product of a query and a key, so exactly these two are turned, both the same "
        "way: turning by $a$ and by $b$ leaves the difference $a - b$ in their product. The values "
        "never meet in a product with anything that is turned. Turned values would leave their "
        "absolute position in the output."
    ),
    cases=_cases(),
    mistakes=_MISTAKES,
    hints=(
        "Which two of the three have to know their position, so that a score can depend on the "
        "distance?",
        "What attention hands over should be the same vector wherever its word stands. One line "
        "turns something that should stay as it is.",
        "```python\nq, k = ..., ...\n"
        "probs = ...      # as it was\n"
        "return probs @ v, probs\n```",
    ),
    returns=("the outputs", "the probabilities"),
)
