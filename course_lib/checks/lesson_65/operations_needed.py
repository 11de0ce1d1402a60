"""Lesson 65: the row of costs, with and without the pairs that a causal mask hides."""

from course_lib.checks.counting import Counting
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(n_words, d_model, causal):
    """The multiplications and additions that one block needs for one text."""
    raise NotImplementedError


def _solution(n_words, d_model, causal):
    weights = 8 * d_model**2 + 16 * d_model**2  # for each word
    pairs = n_words * (n_words + 1) // 2 if causal else n_words**2
    return n_words * weights + 4 * d_model * pairs


def _with(weights=24, each_pair=4, pairs=None):
    """The count with another part in it; ``pairs`` counts them in another way."""

    def wrong(n_words, d_model, causal):
        right = n_words * (n_words + 1) // 2 if causal else n_words**2
        counted = right if pairs is None else pairs(n_words, causal)
        return weights * n_words * d_model**2 + each_pair * d_model * counted

    return wrong


def _half_of_all(n_words, d_model, causal):
    return _solution(n_words, d_model, False) / (2 if causal else 1)


def _exchanged(n_words, d_model, causal):
    return _solution(n_words, d_model, not causal)


def _weights_once(n_words, d_model, causal):
    return 24 * d_model**2 + _solution(n_words, d_model, causal) - 24 * n_words * d_model**2


def _half_masked(n_words, d_model, causal):
    both = (_solution(n_words, d_model, each) for each in (causal, False))
    return sum(both) / 2  # the weights are in both, the pairs once as asked and once all


_MISTAKES = (
    Mistake(
        "the popular formula as it is printed",
        _with(weights=0, each_pair=1, pairs=lambda n, causal: n * n),
        "T² d is what O(T² d) leaves when factors and all other terms are thrown away. Count: what "
        "does one pair cost, which pairs are read, and what do the matrices of weights cost?",
    ),
    Mistake(
        "T squared alone",
        _with(weights=0, pairs=lambda n, causal: n * n),
        "That is the popular O(T² d), pairs alone. What do the matrices of weights cost, a word?",
    ),
    Mistake(
        "pairs alone",
        _with(weights=0),
        "You count the pairs, and rightly. But before two words are compared, each goes through "
        "the matrices of attention, and afterwards through the feed-forward layer.",
    ),
    Mistake(
        "no pairs",
        _with(pairs=lambda n, causal: 0),
        "You have the matrices of weights, rightly. Pairs are missing: each pair of words that may "
        "be read takes a score and a share of the mix.",
    ),
    Mistake(
        "weights of one word",
        _weights_once,
        "You count the matrices of weights once. Every word goes through them.",
    ),
    Mistake(
        "the arguments exchanged",
        lambda n, d, causal: _solution(d, n, causal),
        "The number of words and the width have changed places. The order is "
        "`(n_words, d_model, causal)`.",
    ),
    Mistake(
        "always causal",
        _with(pairs=lambda n, causal: n * (n + 1) // 2),
        "You count T (T + 1) / 2 pairs also with `causal` False. How many are there when every "
        "word reads all?",
    ),
    Mistake(
        "one product of pairs masked",
        _half_masked,
        "With `causal` True one of the two products still has all pairs. Where a pair is hidden, "
        "neither its score nor its share of the mix is computed.",
    ),
    Mistake(
        "hidden pairs counted",
        _with(pairs=lambda n, causal: n * n),
        "You count T² pairs whether the mask is causal or not. How many pairs may be read when "
        "each word reads itself and those before it?",
    ),
    Mistake(
        "without itself",
        _with(pairs=lambda n, causal: n * (n - 1) // 2 if causal else n * n),
        "T (T - 1) / 2 leaves out that each word reads itself.",
    ),
    Mistake(
        "half of T squared",
        _with(pairs=lambda n, causal: n * n / 2 if causal else n * n),
        "Half of T² cuts the diagonal in two. Count row by row: 1 + 2 + ... + T.",
    ),
    Mistake(
        "half of T squared, rounded down",
        _with(pairs=lambda n, causal: n * n // 2 if causal else n * n),
        "Half of T², rounded or not, cuts the diagonal in two. Count row by row: 1 + 2 + ... + T.",
    ),
    Mistake(
        "half of everything",
        _half_of_all,
        "You halve the whole block when the mask is causal. It hides pairs; the matrices of "
        "weights cost the same.",
    ),
    Mistake(
        "the wrong way round",
        _exchanged,
        "Your two cases are exchanged: with `causal` True there are fewer pairs.",
    ),
    Mistake(
        "a multiplication and an addition as one",
        _with(weights=12, each_pair=2),
        "That is half of it. A multiplication and an addition count 2.",
    ),
    Mistake(
        "the same, and hidden pairs counted",
        _with(weights=12, each_pair=2, pairs=lambda n, causal: n * n),
        "Two things. A multiplication and an addition count 2, so this is half. And with `causal` "
        "True not all T² pairs are read.",
    ),
    Mistake(
        "only the weights halved",
        _with(weights=12),
        "Your pairs are right; the matrices of weights come to half. For each weight there is a "
        "multiplication and an addition, which count 2.",
    ),
    Mistake(
        "scores alone",
        _with(each_pair=2),
        "A pair costs twice: 2 d for its score, and 2 d for its share of the mix of values.",
    ),
    Mistake(
        "no feed-forward layer",
        _with(weights=8),
        "You have attention's four matrices and the pairs. The block has a feed-forward layer as "
        "well: d to 4 d and back.",
    ),
    Mistake(
        "8 d² missing a word",
        _with(weights=16),
        "Missing are 8 d² for each word. Four matrices in attention make 8 d² together, and so "
        "does each of the two matrices of the feed-forward layer: which 8 d² have you left out?",
    ),
    Mistake(
        "three matrices in attention",
        _with(weights=22),
        "You count three matrices in attention. The heads' results go through a fourth.",
    ),
)

operations_needed = Counting(
    name="lesson_65.operations_needed",
    task=(
        "Fill the row of costs. Write `operations_needed(n_words, d_model, causal)`: how many "
        "multiplications and additions one block needs for a text, in all matrix products. It has "
        "queries, keys, values and output (`d_model` x `d_model` each), scores and mixes for each "
        "pair that may be read, and a feed-forward layer of inner width 4 `d_model`. With `causal` "
        "True a word reads itself and those before it, and hidden pairs are not computed; with "
        "False it reads all. Heads fill the width, so their number does not matter."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Each word goes through 12 d² weights, 2 operations each: 24 d². Each pair that is read "
        "takes 2 d for the score and 2 d for the mix. So 24 T d² + 4 d times T², or times T (T + "
        "1) / 2 with a causal mask. The mask halves the second term at best, and the second term "
        "is the smaller one as long as T is below 6 d."
    ),
    cases=(
        Case({"n_words": 3, "d_model": 4, "causal": False}),
        Case({"n_words": 3, "d_model": 4, "causal": True}),
        Case({"n_words": 10, "d_model": 6, "causal": True}),
        Case({"n_words": 512, "d_model": 768, "causal": False}),
        Case({"n_words": 1024, "d_model": 768, "causal": True}),
    ),
    mistakes=_MISTAKES,
    hints=(
        "Which parts of a block work on one word at a time, and which on pairs of words?",
        "Per word: four matrices of d x d, one of d x 4d, one of 4d x d, 2 operations a weight. "
        "Per pair: a product of two vectors of d numbers, and one vector of d numbers added.",
        "```python\nweights = 2 * (4 * d_model**2 + ...)\n"
        "pairs = ... if causal else n_words**2\n"
        "return n_words * weights + ... * pairs\n```",
    ),
    returns=("the number of operations",),
    number=True,
)
