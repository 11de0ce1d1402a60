"""The plot: which sentence may come next, how likely it is, and what is true after it.

No rule looks at a word.  A rule sees the world, in which people, places and objects are slots
that some word will fill.  So any name may be exchanged for any other, everywhere in a story at
once, and the story stays equally likely.
"""

from collections.abc import Iterator

from course_lib.data.stories.world import Sentence, World, say

PAIRS = (("boy", "girl"), ("girl", "boy"))
MOST_PLACES = 3
FIRST_END, LAST_END = 3, 7  # sentences told before the ending: a story has 4 to 8


def plot(w: World) -> Iterator[Sentence]:
    """Give every sentence that may come next."""
    if w.told == 0:
        yield from opening(w)
    elif w.told == 1:
        yield from news(w, 4)
    elif w.asked:
        yield from answer(w)
    else:
        if w.told >= FIRST_END:
            yield from ending(w, w.told - 2)
        if w.told < LAST_END:
            yield from news(w, 0.4)
            for x, y in PAIRS:
                yield from moves(w, x, y)
                yield from exchanges(w, x, y)
                yield from questions(w, x, y)
                if w.mood is None:
                    yield from feelings(w, x, y)


def opening(w: World) -> Iterator[Sentence]:
    """Who, where, when."""
    here, there = "place0", "place1"
    for x, y in PAIRS:
        both = {x: here, y: here, "places": 1}
        apart = {x: here, y: there, "places": 2}
        yield from say(w, 2, "together", x, place=here, **both, topic=None)
        yield from say(w, 1, "with", x, place=here, **both)
        yield from say(w, 1, "waiting", x, place=here, **{x: here}, places=1)
        yield from say(w, 2, "apart", x, place=here, other=there, **apart, topic=None)


def news(w: World, weight: float) -> Iterator[Sentence]:
    """Something comes into the story."""
    if w.thing is None:
        for x, _ in PAIRS:
            yield from say(w, weight, "own", x, "thing", thing=x)
            if w.place_of(x):
                yield from say(w, weight, "find", x, "thing", thing=x)
        for place in sorted({w.boy, w.girl} - {None}):
            yield from say(w, weight, "lie", None, "thing", place=place, thing=place)
    if w.food is None:
        for x, _ in PAIRS:
            yield from say(w, weight / 2, "own", x, "food", food=x)
            yield from say(w, weight / 2, "make", x, "food", food=x)


def moves(w: World, x: str, y: str) -> Iterator[Sentence]:
    """X goes somewhere else: to a place that was named, or to a new one."""
    for number in range(min(w.places + 1, MOST_PLACES)):
        place = f"place{number}"
        if place == w.place_of(x):
            continue
        there = {"place": place, x: place, "places": max(w.places, number + 1)}
        yield from say(w, 0.5, "go", x, **there)
        yield from say(w, 0.2, "weather", x, **there)
        if place == w.place_of(y):
            yield from say(w, 1.5, "join", x, **there)
        for item in w.items_of(x):
            yield from say(w, 0.5, "carry", x, item, **there)
        for item in w.items_of(place):
            yield from say(w, 1.5, "fetch", x, item, **there, **{item: x})


def exchanges(w: World, x: str, y: str) -> Iterator[Sentence]:
    """X does something with what X has, or gets what lies here or is Y's."""
    here = w.place_of(x)
    for item in w.items_of(x):
        yield from say(w, 0.5, "look", x, item)
        if w.together():
            yield from say(w, 1.5, "give", x, item, **{item: y})
            need = "hungry" if item == "food" else "want"
            yield from say(w, 1, need, x, item, **{item: y}, topic=None)
            yield from together(w, x, item)
    if "thing" in w.items_of(x) and here:
        yield from say(w, 1.5, "drop", x, "thing", place=here, thing=here)
    if "food" in w.items_of(x):
        yield from say(w, 1.5, "eat", x, "food", food="gone")
    for item in w.items_of(here):
        yield from say(w, 2, "pick", x, item, **{item: x})
    if w.together():
        for item in w.items_of(y):
            yield from say(w, 1, "take", x, item, **{item: x})


def together(w: World, x: str, item: str) -> Iterator[Sentence]:
    """X and Y do something with what X has."""
    if item == "thing":
        yield from say(w, 1, "play", x, item, topic=None)
    else:
        yield from say(w, 1, "share", x, item, food="gone", topic=None)


def questions(w: World, x: str, y: str) -> Iterator[Sentence]:
    """X asks for a thing that X does not have; there must be room for the answer."""
    if w.thing not in (None, x) and w.told < LAST_END - 1:
        yield from say(w, 1.5, "ask", x, "thing", asked=y)


def answer(w: World) -> Iterator[Sentence]:
    """Tell the truth."""
    if w.thing == w.asked:
        yield from say(w, 1, "answer mine", w.asked)
    else:
        yield from say(w, 1, "answer there", w.asked, place=w.thing)


def feelings(w: World, x: str, y: str) -> Iterator[Sentence]:
    """How X feels, and why: one feeling a story."""
    for item in w.items_of(x):
        yield from say(w, 1, "glad", x, item, feeling="glad", mood=(x, "glad"))
    for item in w.items_of(y):
        yield from say(w, 1, "mad", x, item, feeling="mad", mood=(x, "mad"))
    if w.thing not in (None, "boy", "girl"):
        sad = {"place": w.thing, "feeling": "sad", "mood": (x, "sad")}
        yield from say(w, 1, "sad", x, "thing", **sad)
    if w.food == "gone":
        yield from say(w, 1, "gone", x, "food", feeling="sad", mood=(x, "sad"))


def ending(w: World, weight: float) -> Iterator[Sentence]:
    """The last sentence, which recalls at least two facts; the likelier, the more was told."""
    for x, y in PAIRS:
        for item in w.items_of(x):
            yield from say(w, weight, "end has", x, item, ends=True)
        if w.boy and w.girl and w.boy != w.girl:
            where = {"place": w.place_of(x), "other": w.place_of(y)}
            yield from say(w, weight, "end apart", x, **where, ends=True)
        yield from say(w, weight / 4, "end time", x, ends=True)
    if w.thing not in (None, "boy", "girl"):
        yield from say(w, weight, "end lies", None, "thing", place=w.thing, ends=True)
    if w.mood:
        yield from say(w, weight, "end feels", w.mood[0], feeling=w.mood[1], ends=True)
