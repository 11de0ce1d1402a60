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


def _shrinking(less, both):
    """Delete from the list while range counts its first length, in one of the usual spellings."""

    def wrong(ids, pair, new_id):
        merged = list(ids)
        for i in range(len(ids) - less):
            at_once = both and (merged[i], merged[i + 1]) == tuple(pair)
            if at_once or (not both and merged[i] == pair[0] and merged[i + 1] == pair[1]):
                merged[i : i + 2] = [new_id]
        return merged

    return wrong


def _last_id_twice(ids, pair, new_id):
    merged = _last_id_lost(ids, pair, new_id)
    return [*merged, ids[-1]]


def _a_step_too_far(ids, pair, new_id):
    return _with([new_id], _walk(ids, pair, step=3))


def _in_writing(ids, pair, new_id):
    written = [" ".join(map(str, one)) for one in (ids, pair)]
    return [int(one) for one in written[0].replace(written[1], str(new_id)).split()]


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
    *(
        mistake(
            f"a list that shrinks, {name}",
            _shrinking(less, both),
            f"The list gets shorter while {counts}. Build a new list, or use `while`.",
        )
        for name, less, both, counts in (
            ("pair at once", 1, True, "`range` goes on to the length that it had before"),
            ("id by id", 1, False, "`range` still counts the places that it had before"),
            ("to the last id", 0, False, "`range` counts the places of before, and the last too"),
        )
    ),
    mistake(
        "the last id once more",
        _last_id_twice,
        "You append the last id in any case. When it is the right half of a merge it is used up.",
    ),
    mistake(
        "a step too far",
        _a_step_too_far,
        "After a merge your place moves on by three, and one id is lost: two, and no more.",
    ),
    mistake(
        "the new ids alone",
        lambda ids, pair, new_id: [n for n in _with([new_id], _walk(ids, pair)) if n == new_id],
        "Only the new ids are left. Ids that are in no pair stay where they are.",
    ),
    mistake(
        "the list as writing",
        _in_writing,
        "You look for the pair in the list written out, and there 1 2 is found in 11 2 and in "
        "1 23 as well. Compare ids, not digits.",
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
