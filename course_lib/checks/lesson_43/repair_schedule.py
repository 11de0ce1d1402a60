"""Lesson 43: warm-up and cosine as one finds them, to be repaired."""

import math

from course_lib.checks.exercise import Exercise
from course_lib.checks.mistakes import Mistake
from course_lib.checks.run import Case


def _stub(update, peak, floor, warmup, total):
    """The rate of an update; updates are numbered 0, 1, 2, ..."""
    if update < warmup:
        return peak * update / warmup
    progress = (update - warmup) / (total - warmup)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _solution(update, peak, floor, warmup, total):
    step = min(update + 1, total)  # the first update is step 1; nothing changes after the end
    if step < warmup:
        return peak * step / warmup
    progress = (step - warmup) / (total - warmup)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _wrong(counted=lambda u: u + 1, end=lambda s, t: min(s, t), rise=None, after=None):
    """The solution with another count, another end, another rise, or another rate after it."""

    def wrong(update, peak, floor, warmup, total):
        step = counted(update)
        if step < warmup:
            return rise(update, peak, floor, warmup) if rise else peak * step / warmup
        if after and step > total:
            return after(peak, floor)
        progress = (end(step, total) - warmup) / (total - warmup)
        return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))

    return wrong


def _rise_from_one(update, peak, floor, warmup, total):
    if update < warmup:
        return peak * (update + 1) / warmup
    progress = min(1.0, (update - warmup) / (total - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _rise_from_one_and_again(update, peak, floor, warmup, total):
    if update < warmup:
        return peak * (update + 1) / warmup
    progress = (update - warmup) / (total - warmup)
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _cut_early(by):
    """The floor some updates before the last."""

    def wrong(update, peak, floor, warmup, total):
        early = update + 1 >= total - by
        return floor if early else _solution(update, peak, floor, warmup, total)

    return wrong


def _gone_at_the_end(update, peak, floor, warmup, total):
    return 0.0 if update + 1 >= total else _solution(update, peak, floor, warmup, total)


def _as_nanogpt(update, peak, floor, warmup, total):
    if update < warmup:
        return peak * (update + 1) / (warmup + 1)
    progress = min(1.0, (update - warmup) / (total - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _fall_shortened(update, peak, floor, warmup, total):
    if update < warmup:
        return peak * (update + 1) / warmup
    progress = min(1.0, (update - warmup) / max(1, total - 1 - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


def _share_of_all(update, peak, floor, warmup, total):
    step = update + 1
    if step < warmup:
        return peak * step / warmup
    if step >= total:
        return floor
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * (step - warmup) / total))


def _straight(update, peak, floor, warmup, total):
    step = min(update + 1, total)
    if step < warmup:
        return peak * step / warmup
    return peak - (peak - floor) * (step - warmup) / (total - warmup)


_EARLY = "Your curve is cut before its end: an update before the last has the floor already."
_SAME_START = (
    "The first update is no longer wasted. But rise and fall count differently, so the curve is "
    "not the one of the formula. Turn the number of the update into a step once, for both parts."
)

_MISTAKES = (
    Mistake(
        "rise counted from one, and it rises again",
        _rise_from_one_and_again,
        "The first update is no longer wasted. But only the rise counts from 1: the peak comes "
        "twice, and the last update does not get the floor. And what happens after the end?",
    ),
    Mistake(
        "still wasted",
        _wrong(counted=lambda u: u),
        "After the end the rate now stays at the floor. But the first update, number 0, still has "
        "a rate of 0. Which step is it?",
    ),
    Mistake(
        "still rising",
        _wrong(end=lambda s, t: s),
        "The first update is no longer wasted. But after the end the rate rises again: what does "
        "the cosine do when its argument goes beyond pi? (`max(rate, floor)` is no remedy.)",
    ),
    Mistake(
        "only the rise counted from one",
        _rise_from_one,
        "Only the rise counts from 1: the peak comes twice, and the last of the updates does not "
        "get the floor. Turn the number of the update into a step once, for both parts.",
    ),
    Mistake(
        "nothing left after the end",
        _wrong(after=lambda peak, floor: 0.0),
        "After the end your rate is 0. It is to stay where it is at the end.",
    ),
    Mistake(
        "nothing left at the end",
        _gone_at_the_end,
        "At the end and after it your rate is 0. It is to be the floor.",
    ),
    Mistake("cut one update early", _cut_early(1), _EARLY),
    Mistake("cut two updates early", _cut_early(2), f"{_EARLY} Two of them."),
    Mistake("one more under the rise, and the fall not counted from one", _as_nanogpt, _SAME_START),
    Mistake(
        "the fall one shorter",
        _fall_shortened,
        "The first and the last update are right, but the peak comes twice: only the rise "
        "counts from 1. Turn the number of the update into a step once, for both parts.",
    ),
    Mistake(
        "share of the whole run",
        _share_of_all,
        "You divide the steps of the fall by all steps. The fall is `total - warmup` long.",
    ),
    Mistake("a straight fall", _straight, "Your rate falls in a straight line, not in a cosine."),
    Mistake(
        "no step before 1",
        _wrong(counted=lambda u: max(u, 1)),
        "You only keep the first update from being step 0, so step 1 is made twice. "
        "Every update is one step further than its number.",
    ),
    Mistake(
        "back to the peak after the end",
        _wrong(after=lambda peak, floor: peak),
        "After the end your rate is the peak. It is to stay where it is at the end.",
    ),
    Mistake(
        "one too many under the rise",
        _wrong(rise=lambda u, peak, floor, w: peak * (u + 1) / (w + 1)),
        "You divide by one more than the warm-up's length, so its last update does not reach the "
        "peak. (Some code does it like that, and it is another rule.)",
    ),
    Mistake(
        "lifted to the floor at the start",
        _wrong(rise=lambda u, peak, floor, w: max(floor, peak * (u + 1) / w)),
        "Your rate is not below the floor in the warm-up either. The floor is where the fall ends; "
        "the rise starts from 0.",
    ),
    Mistake(
        "rise from the floor",
        _wrong(rise=lambda u, peak, floor, w: floor + (peak - floor) * (u + 1) / w),
        "Your rise starts from the floor. It starts from 0, and only the fall ends at the floor.",
    ),
    Mistake(
        "one step too far",
        _wrong(counted=lambda u: u + 2),
        "You count one too far: update 0 is step 1.",
    ),
    Mistake(
        "one update missing at the end",
        _wrong(end=lambda s, t: min(s, t - 1)),
        "Your fall stops one step before the end, so the floor is never reached.",
    ),
)

_CURVE = {"peak": 0.6, "floor": 0.1, "warmup": 8, "total": 40}

repair_schedule = Exercise(
    name="lesson_43.repair_schedule",
    task=(
        "This function gives the rate of each update of a loop that numbers them 0, 1, 2, ... It "
        "has two bugs. Repair it: update 0 makes step 1 of the schedule, so that it is not "
        "wasted; the last of `total` updates (number `total - 1`) gets exactly the floor, and so "
        "do all that come after it, but none before."
    ),
    stub=_stub,
    reference=_solution,
    explanation=(
        "Turn the number of the update into a step once, before anything is computed: with "
        "`update + 1` both parts of the curve move, so the peak comes once, at the `warmup`-th "
        "update, and the floor at the `total`-th. A cosine has a period: beyond $\\pi$ it rises. "
        "Clamping the step (or the progress, to 1) ends the curve at the floor."
    ),
    cases=tuple(
        Case({"update": update, **_CURVE, **more})
        for update, more in (
            (3, {}), (7, {}), (8, {}), (20, {}), (0, {}), (38, {}), (37, {}), (39, {}), (40, {}),
            (55, {}), (103, {}), (0, {"warmup": 0}), (500, {"total": 400, "floor": 0.0}),
            (1, {"warmup": 2}),
        )
    ),
    mistakes=_MISTAKES,
    hints=(
        "Print the rates of updates 0 to `total`, and of some after them. Which of them are not "
        "what the task asks for?",
        "Both bugs go away at one place, before the first `if`: which step does this update make, "
        "and how large may a step become?",
        "```python\nstep = ...\nif step < warmup:\n    return ...\nprogress = ...\n"
        "return ...\n```",
    ),
    returns=("the rate",),
    number=True,
    atol=1e-9,
)  # fmt: skip
