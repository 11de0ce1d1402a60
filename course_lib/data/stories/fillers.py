"""Which words a unit can say, when some slots of the story are filled already.

The filler of a slot is drawn uniformly from its class, without the words that other slots of the
story show.  No rule of the plot looks at a word, so a filler need not be drawn before it is said.
"""

from collections.abc import Mapping

from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.patterns import class_of

Fillers = Mapping[str, str]  # from slot to word


def free_words(grammar: Grammar, slot: str, fillers: Fillers) -> list[str]:
    """List the words that a slot which was not said yet can still become."""
    taken = fillers.values()
    return [word for word in grammar.classes[class_of(slot)] if word not in taken]


def n_free(grammar: Grammar, slot: str, said) -> int:
    """Count the words that a slot can still become, when the slots in ``said`` are filled."""
    name = class_of(slot)
    return len(grammar.classes[name]) - sum(class_of(other) == name for other in said)


def words_of(grammar: Grammar, unit: str, fillers: Fillers) -> list[str]:
    """List what a unit can say; each of them is equally likely."""
    if not unit.startswith("@"):
        return unit.split("|")
    slot = unit[1:]
    return [fillers[slot]] if slot in fillers else free_words(grammar, slot, fillers)


def chance(grammar: Grammar, unit: str, word: str, fillers: Fillers) -> float:
    """Return the probability that a unit says ``word``."""
    if not unit.startswith("@"):
        choices = unit.split("|")
        return (word in choices) / len(choices)
    slot = unit[1:]
    if slot in fillers:
        return float(fillers[slot] == word)
    if grammar.class_of_word.get(word) != class_of(slot) or word in fillers.values():
        return 0.0
    return 1 / n_free(grammar, slot, fillers)
