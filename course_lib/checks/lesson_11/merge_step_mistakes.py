"""What goes wrong with the merge step: overlaps, order, ends, and what is written."""

from itertools import pairwise

from course_lib.checks.listed import listed_mistake as mistake


def _walk(ids, pair, found=lambda left, right, pair: (left, right) == tuple(pair), step=2):
    """The right loop, with another condition or another step; None marks a merge."""
    merged, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and found(ids[i], ids[i + 1], pair):
            merged.append(None)
            i += step
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _with(new_ids, merged):
    """Put something in for each merge."""
    return [n for one in merged for n in (new_ids if one is None else [one])]


def _overlapping(ids, pair, new_id):
    return _with([new_id], _walk(ids, pair, step=1))


def _from_the_right(ids, pair, new_id):
    return _with([new_id], _walk(ids[::-1], pair[::-1]))[::-1]


def _either_order(ids, pair, new_id):
    return _with([new_id], _walk(ids, pair, lambda a, b, p: sorted((a, b)) == sorted(p)))


def _only_the_first(ids, pair, new_id):
    for i, both in enumerate(pairwise(ids)):
        if both == tuple(pair):
            return [*ids[:i], new_id, *ids[i + 2 :]]
    return ids


def _last_id_lost(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids) - 1:
        same = (ids[i], ids[i + 1]) == tuple(pair)
        merged.append(new_id if same else ids[i])
        i += 2 if same else 1
    return merged


def _pairs_alone(ids, pair, new_id):
    return [new_id if both == tuple(pair) else both[0] for both in pairwise(ids)]


def _past_the_end(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        same = ids[i] == pair[0] and ids[i + 1] == pair[1]
        merged.append(new_id if same else ids[i])
        i += 2 if same else 1
    return merged


def _each_by_itself(ids, pair, new_id):
    return [new_id if one in pair else one for one in ids]


def _left_id_alone(ids, pair, new_id):
    return _with([new_id], _walk(ids, pair, lambda a, b, p: a == p[0]))


def _places_of_before(ids, pair, new_id):
    merged = list(ids)
    for i, both in enumerate(pairwise(ids)):
        if both == tuple(pair):
            merged[i : i + 2] = [new_id]
    return merged


MISTAKES = (
    mistake(
        "the input",
        lambda ids, pair, new_id: ids,
        "The word comes back as it went in: no place of the pair was found. (If you compare "
        "`ids[i:i + 2]` with `pair`: a list never equals a tuple.)",
    ),
    mistake(
        "overlapping pairs",
        _overlapping,
        "The right id is still there after the merge. Both ids of the pair are used up: how far "
        "must the place move on?",
    ),
    mistake(
        "from the right",
        _from_the_right,
        "You merge from right to left. In 7 7 7 the first two belong together, not the last two.",
    ),
    mistake(
        "either order",
        _either_order,
        "You merge the pair in either order. (1, 2) is another pair than (2, 1): text has a "
        "direction.",
    ),
    mistake(
        "only the first place",
        _only_the_first,
        "Only the first place of the pair is merged. Merge all of them, also in one word.",
    ),
    mistake(
        "the last id lost",
        _last_id_lost,
        "The last id is lost when it is in no pair: the loop ends before it. It has no right "
        "neighbour, but it stays.",
    ),
    mistake(
        "one id for each pair of neighbours",
        _pairs_alone,
        "You write one id for each pair of neighbours. So the right id of a merge is written once "
        "more, and the last id, which has no right neighbour, never. How far must the place move "
        "on?",
    ),
    mistake(
        "past the end",
        _past_the_end,
        "You look at the right neighbour of the last id. It has none: look only where i + 1 is "
        "still inside the word.",
    ),
    mistake(
        "each id by itself",
        _each_by_itself,
        "You replace each id that occurs in the pair, neighbour or not. Look at two ids at once.",
    ),
    mistake(
        "the left id alone",
        _left_id_alone,
        "You look at the left id alone. The one after it must be the pair's right id.",
    ),
    mistake(
        "two new ids",
        lambda ids, pair, new_id: _with([new_id, new_id], _walk(ids, pair)),
        "Two new ids stand where the pair stood. One takes the place of both, so the word gets "
        "shorter.",
    ),
    mistake(
        "the pair taken out",
        lambda ids, pair, new_id: _with([], _walk(ids, pair)),
        "The pair is gone, and nothing is in its place. Append new_id there.",
    ),
    mistake(
        "new id beside the pair",
        lambda ids, pair, new_id: _with([*pair, new_id], _walk(ids, pair)),
        "The new id stands beside the pair. It takes the pair's place.",
    ),
    mistake(
        "the pair's sum",
        lambda ids, pair, new_id: _with([sum(pair)], _walk(ids, pair)),
        "You add the two ids. An id is a name, and its size means nothing: write new_id.",
    ),
    mistake(
        "places of before",
        _places_of_before,
        "You count places in the list as it was, but each merge has made it shorter by one, so "
        "later merges land too far right. Build a new list, or move the place along.",
    ),
)
