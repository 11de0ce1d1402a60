"""Lesson 11, first exercise: merge one pair in one word."""

from course_lib.checks.lesson_11.merge_step_mistakes import MISTAKES
from course_lib.checks.listed import Listed, listed
from course_lib.checks.run import Case


def _stub(ids, pair, new_id):
    """The ids of a word after one merge: each place of the pair becomes new_id."""
    raise NotImplementedError


def _solution(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == tuple(pair):
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _case(ids: list[int], pair: tuple[int, int], new_id: int) -> Case:
    return Case({"ids": ids, "pair": pair, "new_id": new_id})


merge_step = Listed(
    name="lesson_11.merge_step",
    task=(
        "Write `merge_step(ids, pair, new_id)`: a word is a list of ids, and wherever the two ids "
        "of `pair` stand side by side, in this order, `new_id` takes their place. Go from left to "
        "right: of three equal ids 7 7 7, the pair (7, 7) takes the first two. Return a new list."
    ),
    stub=listed(_stub),
    reference=listed(_solution),
    explanation=(
        "After a merge the place moves on by two, because both ids are used up; otherwise by one. "
        "That is what settles 7 7 7: the second 7 is gone when its turn as a left id would come. "
        "The length of the word changes while one goes through it, which is easier to follow with "
        "a `while` and a place of your own than with a `for` over places. Training calls this for "
        "every word after every merge, and encoding calls the same function."
    ),
    cases=(
        _case([5, 1, 2, 6], (1, 2), 300),
        _case([1, 2, 9, 2, 1, 1, 2], (1, 2), 301),
        _case([4, 8, 3], (3, 4), 302),
        _case([1, 3, 2, 1], (1, 2), 303),
        _case([11, 2, 1, 23, 1, 2], (1, 2), 307),
        _case([7, 7, 7, 4], (7, 7), 304),
        _case([3, 7, 7, 7, 7, 7], (7, 7), 305),
        _case([2], (2, 2), 306),
    ),
    mistakes=MISTAKES,
    hints=(
        "Go through 7 7 7 with your finger. You have just merged the first two: which id is the "
        "next that may become the left one of a pair?",
        "Build a new list. Keep a place i and look at the two ids from i on: if they are the "
        "pair, append the new id and step over both, else append one id and step over one. What "
        "happens at the last id, which has no neighbour?",
        "```python\nmerged, i = [], 0\nwhile i < len(ids):\n    if ...:\n        merged.append("
        "new_id)\n        i += ...\n    else:\n        merged.append(...)\n        i += 1\n"
        "return merged\n```",
    ),
)
