"""From a sentence with capitals to the units that are said, one after the other.

A unit is a word ("the"), a choice of words that are equally likely ("went|walked|ran"), or a slot
("@place1"): a word of the class "place" that stays the same throughout a story.
"""

from functools import cache
from itertools import product

from course_lib.data.stories.words import PRONOUNS, QUALITY, QUALITY_AGAIN, SENTENCES


def class_of(slot: str) -> str:
    """Name the class of words that a slot is filled from: "place" for "place1"."""
    return slot.rstrip("0123456789")


@cache
def forms(
    kind: str,
    x: str | None = None,
    again: bool = False,
    item: str | None = None,
    place: str | None = None,
    other: str | None = None,
    feeling: str | None = None,
) -> tuple[tuple[float, tuple[str, ...]], ...]:
    """Give the forms of a sentence, each with its share: "the OLD" has a short and a long one.

    Args:
        kind: which of ``SENTENCES``.
        x: the slot of the person it is about, "boy" or "girl".
        again: whether the sentence before was about the same person, so that X is a pronoun.
        item: the object spoken of, "thing" or "food".
        place: the slot for PLACE, and ``other`` for OTHER.
        feeling: the slot for FEELING.
    """
    stands = _stands_for(x, again, item)
    for capital, slot in {"PLACE": place, "OTHER": other, "FEELING": feeling}.items():
        stands[capital] = ((1.0, f"@{slot}"),)
    parts = [stands.get(unit, ((1.0, unit),)) for unit in SENTENCES[kind].split()]
    found = []
    for chosen in product(*parts):
        share = 1.0
        for part, _ in chosen:
            share *= part
        found.append((share, tuple(" ".join(text for _, text in chosen).split())))
    return tuple(found)


def _stands_for(x: str | None, again: bool, item: str | None) -> dict:
    """Say what a capital stands for: pairs of a share and a text."""
    stands = {"SKY": ((1.0, "@sky"),), "TIME": ((1.0, "@time"),)}
    if x is not None:
        y = "girl" if x == "boy" else "boy"
        he, him = PRONOUNS[x][0], PRONOUNS[y][1]
        texts = {"X": he if again else f"@{x}", "X!": f"@{x}", "Y": f"@{y}", "he": he, "him": him}
        stands |= {capital: ((1.0, text),) for capital, text in texts.items()}
    if item is not None:
        full = f"@{QUALITY[item]} @{item}"
        stands["NEW"] = ((1.0, full),)
        stands["OLD"] = ((1 - QUALITY_AGAIN, f"@{item}"), (QUALITY_AGAIN, full))
    return stands
