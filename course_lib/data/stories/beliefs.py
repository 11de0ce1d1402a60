"""What may be going on in a story, when some of its words are hidden or may be false.

A reader who sees every word is always in one place of the grammar.  One who does not keeps a list
of hypotheses, each with its weight: where in the grammar the story may be, and which fillers were
shown.  A slot that was said unseen stays open: it costs no hypotheses, because no rule looks at a
word, and its word is drawn when it is shown, later in the story.
"""

from collections import defaultdict
from typing import NamedTuple

from course_lib.data.stories.fillers import chance, words_of
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.tree import Node


class Hypothesis(NamedTuple):
    """One way in which things may stand."""

    node: Node
    fillers: tuple[tuple[str, str], ...] = ()  # the slots whose words were shown
    target: str | None = None  # the unit that was said at the position asked for


Beliefs = dict[Hypothesis, float]


class Channel(NamedTuple):
    """How the token that is seen comes from the word that was said, at one position.

    p(seen | said) = ``kept`` if they are the same word, else 0; plus ``other`` in any case.
    """

    kept: float
    other: float


CLEAN, HIDDEN = Channel(1.0, 0.0), Channel(0.0, 1.0)


def advance(
    grammar: Grammar,
    beliefs: Beliefs,
    seen: str | None,
    channel: Channel = CLEAN,
    is_target: bool = False,
    prune: float = 0.0,
) -> Beliefs:
    """Take in one more position.

    Args:
        seen: the token there; None when it tells nothing about the word.
        channel: where that token comes from.
        is_target: whether to remember the unit that was said here.
        prune: hypotheses with less than this share of the best one's weight are dropped; 0 is
            exact.
    """
    after: Beliefs = defaultdict(float)
    for (node, fillers, target), weight in beliefs.items():
        known = dict(fillers)
        for branch in node.branches:
            tag = branch.unit if is_target else target
            p, follow = weight * branch.probability, grammar.follow(branch)
            if channel.other:
                after[Hypothesis(follow, fillers, tag)] += p * channel.other
            like = chance(grammar, branch.unit, seen, known) if channel.kept and seen else 0.0
            if like:
                shown = _show(fillers, branch.unit, seen)
                if is_target and branch.unit[0] != "@":
                    tag = seen  # one word of the choice
                after[Hypothesis(follow, shown, tag)] += p * like * channel.kept
    if prune and after:
        least = prune * max(after.values())
        return {hypothesis: p for hypothesis, p in after.items() if p > least}
    return dict(after)


def _show(fillers: tuple, unit: str, word: str) -> tuple:
    """Add the word that a slot was just seen to have."""
    pair = (unit[1:], word)
    return fillers if unit[0] != "@" or pair in fillers else tuple(sorted((*fillers, pair)))


def over(grammar: Grammar, beliefs: Beliefs) -> Beliefs:
    """Keep what is possible when the story ends here."""
    return {h: p for h, p in beliefs.items() if h.node is grammar.end}


def target_words(grammar: Grammar, beliefs: Beliefs) -> dict[str, float]:
    """Return the posterior of the word at the target position.

    Raises:
        ValueError: if nothing is possible any more.
    """
    total = sum(beliefs.values())
    if total == 0:
        raise ValueError("seen must be a story that the grammar can tell, got one it cannot")
    found: dict[str, float] = defaultdict(float)
    for (_, fillers, unit), weight in beliefs.items():
        choices = words_of(grammar, unit, dict(fillers))
        for word in choices:
            found[word] += weight / total / len(choices)
    return dict(found)
