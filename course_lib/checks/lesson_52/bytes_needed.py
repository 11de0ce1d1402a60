"""Lesson 52, first exercise: how many bytes a cache takes."""

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number):
    """How many bytes the keys and values of one text take."""
    raise NotImplementedError


def _solution(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number):
    d_head = d_model // n_heads
    numbers = 2 * n_layers * n_kv_heads * d_head  # a key and a value, a token
    return numbers * n_tokens * bytes_per_number


def _times(factor):
    """The right number of bytes, times what ``factor(n_layers, d, h, kv, tokens, bytes)`` says."""

    def wrong(*sizes):
        return _solution(*sizes) * factor(*sizes)

    return wrong


_MISTAKES = (
    Mistake(
        "one of the two",
        _times(lambda n, d, h, kv, t, b: 1 / 2),
        "This is half of it. What is kept of a token are two vectors a head: which?",
    ),
    Mistake(
        "queries as well",
        _times(lambda n, d, h, kv, t, b: 3 / 2),
        "You keep three vectors a head. A later token asks with its own query: whose queries are "
        "ever needed again?",
    ),
    Mistake(
        "heads that ask",
        _times(lambda n, d, h, kv, t, b: h / kv),
        "Either you count a key and a value for every head that asks, where only `n_kv_heads` have "
        "some; or you divide the width by `n_kv_heads`, and a head that is read by several is no "
        "wider for it.",
    ),
    Mistake(
        "heads that ask, one of the two",
        _times(lambda n, d, h, kv, t, b: h / kv / 2),
        "You keep `d_model` numbers a layer. That would be the stream, or the keys of all heads "
        "that ask. What is kept are keys *and* values, of `n_kv_heads` heads only.",
    ),
    Mistake(
        "width of the model for every head",
        _times(lambda n, d, h, kv, t, b: h),
        "You give each head the whole width of the model. How wide is one head?",
    ),
    Mistake(
        "rounded to nothing",
        _times(lambda n, d, h, kv, t, b: kv // h),
        "You round `n_kv_heads / n_heads` down before it meets the width, which leaves 0 wherever "
        "heads are shared. How wide is one head?",
    ),
    Mistake(
        "GiB, not bytes",
        _times(lambda n, d, h, kv, t, b: 1 / 2**30),
        "This counts GiB. Bytes are asked for.",
    ),
    Mistake(
        "one layer",
        _times(lambda n, d, h, kv, t, b: 1 / n),
        "This is one layer's share. Every layer has keys and values of its own.",
    ),
    Mistake(
        "one head",
        _times(lambda n, d, h, kv, t, b: 1 / kv),
        "This is one head's share. Every head that has keys and values has its own.",
    ),
    Mistake(
        "numbers, not bytes",
        _times(lambda n, d, h, kv, t, b: 1 / b),
        "This counts numbers. How many bytes does one of them take?",
    ),
    Mistake(
        "bits",
        _times(lambda n, d, h, kv, t, b: 8),
        "This counts bits. Bytes are asked for.",
    ),
    Mistake(
        "one token",
        _times(lambda n, d, h, kv, t, b: 1 / t),
        "This is what one token takes. How many are there?",
    ),
    Mistake(
        "the square of the tokens",
        _times(lambda n, d, h, kv, t, b: t),
        "Your cache grows with the square of the text. The scores of all pairs of tokens do; they "
        "are not kept.",
    ),
    Mistake(
        "all pairs of tokens once more",
        lambda n, d, h, kv, t, b: n * h * t * t * b,
        "You count the shares of attention, one for each pair of tokens. They are used once and "
        "thrown away: what does a later token still need of an earlier one?",
    ),
)

_CASES = (
    Case({"n_layers": 4, "d_model": 75, "n_heads": 15, "n_kv_heads": 5, "n_tokens": 11,
          "bytes_per_number": 2}),
    Case({"n_layers": 12, "d_model": 768, "n_heads": 12, "n_kv_heads": 12, "n_tokens": 1024,
          "bytes_per_number": 2}),
    Case({"n_layers": 80, "d_model": 8192, "n_heads": 64, "n_kv_heads": 8, "n_tokens": 4096,
          "bytes_per_number": 1}),
)  # fmt: skip

cache_bytes = Exercise(
    name="lesson_52.cache_bytes",
    task=(
        "Write `cache_bytes(n_layers, d_model, n_heads, n_kv_heads, n_tokens, bytes_per_number)`: "
        "how many bytes the keys and values of one text of `n_tokens` tokens take. The `n_heads` "
        "heads that ask are all `d_model / n_heads` wide. Only `n_kv_heads` heads have keys and "
        "values, equally wide, each read by several that ask."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "For each token, each layer and each of the `n_kv_heads` heads there is a key and a value, "
        "both of `d_model / n_heads` numbers. The width follows from the heads that *ask*, how "
        "often it is stored from those that *have*. Nothing else is kept: a query is used once, "
        "and the shares are made anew for every token."
    ),
    cases=_CASES,
    mistakes=_MISTAKES,
    hints=(
        "Take one token and one layer. Which vectors of it will tokens still read that come later?",
        "How wide is a head? And how many of these vectors are stored? Count the heads that have "
        "them, the layers, and the tokens.",
        "```python\nd_head = ...\nnumbers = ...    # of one token, in all layers\n"
        "return numbers * ...\n```",
    ),
    returns=("the bytes",),
    number=True,
    rtol=1e-9,
    atol=1e-6,
)
