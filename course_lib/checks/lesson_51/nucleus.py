"""Lesson 51: top-p, the fewest words that together reach a probability."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(probs, p):
    """Keep the fewest of the largest probabilities that together reach p; the rest becomes 0."""
    raise NotImplementedError


def _solution(probs, p):
    ranked, order = probs.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked  # what the words in front have together
    ranked = torch.where(before < p, ranked, 0.0)
    kept = torch.zeros_like(probs).scatter(-1, order, ranked)
    return kept / kept.sum(dim=-1, keepdim=True)


def _keeping(kept, descending=True):
    """Top-p, but for which of the ranked words are kept: ``kept(ranked, sums, p)``."""

    def wrong(probs, p):
        ranked, order = probs.sort(dim=-1, descending=descending)
        marked = torch.where(kept(ranked, ranked.cumsum(dim=-1), p), ranked, 0.0)
        result = torch.zeros_like(probs).scatter(-1, order, marked)
        return result / result.sum(dim=-1, keepdim=True)

    return wrong


def _at_least_one(kept):
    """The same, and the first word is kept in any case."""

    def also_first(ranked, sums, p):
        marked = kept(ranked, sums, p).clone()
        marked[..., 0] = True
        return marked

    return _keeping(also_first)


def _inside(ranked, sums, p):
    return sums <= p


def _strictly_inside(ranked, sums, p):
    return sums < p


def _one_more(ranked, sums, p):
    before = sums - ranked
    return before <= p


def _share_of(probs):
    return probs / probs.sum(dim=-1, keepdim=True)


def _not_shared(probs, p):
    ranked, order = probs.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    return torch.zeros_like(probs).scatter(-1, order, torch.where(before < p, ranked, 0.0))


def _still_ranked(probs, p):
    ranked = probs.sort(dim=-1, descending=True).values
    return _share_of(torch.where(ranked.cumsum(dim=-1) - ranked < p, ranked, 0.0))


def _mask_in_the_wrong_order(probs, p):
    ranked = probs.sort(dim=-1, descending=True).values
    return _share_of(torch.where(ranked.cumsum(dim=-1) - ranked < p, probs, 0.0))


def _not_ranked(probs, p):
    return _share_of(torch.where(probs.cumsum(dim=-1) - probs < p, probs, 0.0))


def _gathered_back(probs, p):
    ranked, order = probs.sort(dim=-1, descending=True)
    marked = torch.where(ranked.cumsum(dim=-1) - ranked < p, ranked, 0.0)
    return _share_of(marked.gather(-1, order))


def _first_axis(probs, p):
    ranked, order = probs.sort(dim=0, descending=True)
    marked = torch.where(ranked.cumsum(dim=0) - ranked < p, ranked, 0.0)
    kept = torch.zeros_like(probs).scatter(0, order, marked)
    return kept / kept.sum(dim=0, keepdim=True)


def _one_sum_for_all(probs, p):
    kept = _not_shared(probs, p)
    return kept / kept.sum()


def _axis_not_kept(probs, p):
    kept = _not_shared(probs, p)
    return kept / kept.sum(dim=-1)


def _all_equals(probs, p):
    ranked = probs.sort(dim=-1, descending=True).values
    needed = (ranked.cumsum(dim=-1) - ranked < p).sum(dim=-1, keepdim=True)
    least = ranked.gather(-1, needed - 1)
    return _share_of(torch.where(probs >= least, probs, 0.0))


def _later_of_equals(probs, p):
    return _solution(probs.flip(-1), p).flip(-1)


def _softmax_of_kept(probs, p):
    kept = _not_shared(probs, p)
    return torch.softmax(kept.masked_fill(kept == 0, -torch.inf), dim=-1)


def _one_count_for_all(probs, p):
    ranked, order = probs.sort(dim=-1, descending=True)
    first = ranked.reshape(-1, ranked.shape[-1])[0]
    marked = torch.where(first.cumsum(-1) - first < p, ranked, 0.0)
    return _share_of(torch.zeros_like(probs).scatter(-1, order, marked))


_STOPS_EARLY = (
    "You stop before p is reached: the word that carries the sum across p is missing. The words "
    "kept must *together* have at least p."
)

_MISTAKES = (
    Mistake(
        "stops early",
        _keeping(_inside),
        f"{_STOPS_EARLY} Where the first word alone has more than p, nothing is left, and 0 / 0 "
        "is NaN.",
    ),
    Mistake("stops early, keeps the first", _at_least_one(_inside), _STOPS_EARLY),
    Mistake(
        "stops early, strictly",
        _keeping(_strictly_inside),
        f"{_STOPS_EARLY} With `<` even a sum of exactly p is not enough for you, and a first word "
        "above p leaves nothing: 0 / 0 is NaN.",
    ),
    Mistake(
        "stops early, strictly, keeps the first",
        _at_least_one(_strictly_inside),
        f"{_STOPS_EARLY} With `<` even a sum of exactly p is not enough for you.",
    ),
    Mistake(
        "one more than needed",
        _keeping(_one_more),
        "One word too many where a sum is exactly p: then p is reached, and no further word is "
        "needed. Is it `<` or `<=`?",
    ),
    Mistake(
        "not shared out again",
        _not_shared,
        "You keep the right words. What do the kept probabilities sum to?",
    ),
    Mistake(
        "still ranked",
        _still_ranked,
        "Your probabilities come out ranked, the largest first. Each must go back to the place of "
        "its word.",
    ),
    Mistake(
        "mask in the wrong order",
        _mask_in_the_wrong_order,
        "Your mask is made for the ranked probabilities and applied to the ones that are not "
        "ranked, so it keeps the wrong words.",
    ),
    Mistake(
        "gathered back",
        _gathered_back,
        "The way back is the wrong way round: `order[r]` is the word on rank r. Do you need "
        "`scatter`, or the `argsort` of the order?",
    ),
    Mistake(
        "not ranked",
        _not_ranked,
        "You add up the probabilities in the order of the vocabulary. Which words have to come "
        "first, if the fewest are to reach p?",
    ),
    Mistake(
        "smallest first",
        _keeping(lambda ranked, sums, p: sums - ranked < p, descending=False),
        "You start with the smallest. Sorting goes upwards unless it is told otherwise.",
    ),
    Mistake(
        "compares single words with p",
        lambda probs, p: _share_of(torch.where(probs >= p, probs, 0.0)),
        "You compare every single word with p. It is the *sum* of the kept ones that has to reach "
        "it.",
    ),
    Mistake(
        "compares single words with 1 - p",
        lambda probs, p: _share_of(torch.where(probs >= 1 - p, probs, 0.0)),
        "You drop every word below 1 - p. It is the *sum* of the kept ones that has to reach p.",
    ),
    Mistake(
        "first axis",
        _first_axis,
        "You work down the columns. The words stand along the last axis, `dim=-1`.",
    ),
    Mistake(
        "one sum for all rows",
        _one_sum_for_all,
        "All rows together sum to 1, where each row should. Give `sum` the last axis, with "
        "`keepdim=True`.",
    ),
    Mistake(
        "axis not kept",
        _axis_not_kept,
        "One row works. With several, `sum(-1)` drops the last axis, and the rows no longer meet "
        "their own sums. What does `keepdim=True` do?",
    ),
    Mistake(
        "all equals kept",
        _all_equals,
        "You keep every word that is as probable as the last one needed. Of equals, take as many "
        "as it takes, the earlier first: cut by rank, not by value.",
    ),
    Mistake(
        "the later of equals",
        _later_of_equals,
        "Right, but for one thing: of equal words you keep the later. With a descending sort and "
        "`stable=True` the earlier comes first.",
    ),
    Mistake(
        "softmax of the kept ones",
        _softmax_of_kept,
        "The right words, but softmax is for scores. These are probabilities already; what must "
        "they be divided by?",
    ),
    Mistake(
        "the first row's count for all",
        _one_count_for_all,
        "You keep as many words in every row as in the first. Each row reaches p after a number "
        "of its own.",
    ),
    Mistake(
        "compared with the largest",
        lambda probs, p: _share_of(
            torch.where(probs >= p * probs.amax(dim=-1, keepdim=True), probs, 0.0)
        ),
        "You compare each word with the largest one. That cut exists (min-p). Here the *sum* of "
        "the kept ones has to reach p.",
    ),
    Mistake(
        "nothing cut",
        lambda probs, p: probs,
        "Nothing is cut: every word still has a probability.",
    ),
)

_EXACT = torch.tensor([0.125, 0.25, 0.5, 0.0625, 0.0625])  # sums of these have no rounding
_ROWS = torch.tensor([[0.05, 0.4, 0.25, 0.3], [0.02, 0.03, 0.9, 0.05], [0.28, 0.27, 0.21, 0.24]])
_THREE_AXES = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(2)).double().softmax(-1)

top_p = Exercise(
    name="lesson_51.top_p",
    task=(
        "Write `top_p(probs, p)`: along the **last** axis, keep the fewest of the largest "
        "probabilities that together have at least `p`, set the others to 0, and let the kept "
        "ones sum to 1. Each word stays at its place. One is always kept; of equals, the earlier."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "A word is kept when those in front of it, the larger ones, have not reached $p$ yet. In "
        "front of the first stands nothing, so it is always kept, and the word that carries the "
        "sum across $p$ is kept too. `scatter` takes each ranked number back to its word."
    ),
    cases=(
        Case({"probs": torch.tensor([0.1, 0.6, 0.3]), "p": 0.8}),
        Case({"probs": _EXACT, "p": 0.6}),
        Case({"probs": _EXACT, "p": 0.75}),
        Case({"probs": _ROWS, "p": 0.5}),
        Case({"probs": _ROWS.double(), "p": 0.93}),
        Case({"probs": _THREE_AXES, "p": 0.7}),
        Case({"probs": torch.tensor([0.2, 0.5, 0.3]), "p": 1.0}),
        Case({"probs": torch.tensor([0.1, 0.3, 0.3, 0.3]), "p": 0.5}, extreme=1),
    ),
    mistakes=_MISTAKES,
    hints=(
        "In which order must the words be looked at, so that the fewest reach p?",
        "Rank them, largest first. A word is needed as long as those in front of it have less "
        "than p together; `cumsum` counts the word itself as well. At the end each number must go "
        "back to its own word.",
        "```python\nranked, order = probs.sort(...)\nbefore = ...\n"
        "kept = torch.zeros_like(probs).scatter(-1, order, ...)\nreturn kept / ...\n```",
    ),
    returns=("the probabilities",),
)
