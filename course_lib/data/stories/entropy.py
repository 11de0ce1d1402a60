"""The floor: the entropy of a story, computed from the grammar without drawing any."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from course_lib.data.stories.fillers import n_free
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.patterns import class_of
from course_lib.data.stories.tree import Node
from course_lib.data.stories.words import CLOSED, FIRST, REPEATED

State = tuple[Hashable, frozenset[str]]  # a world, and the slots that were said


@dataclass(frozen=True)
class Floor:
    """The least loss that any model can reach, on average over all stories.

    ``nats`` and ``words`` hold, for each kind of token, the expected sum of losses in a story and
    the expected number of tokens.  The end of a story is certain, once its last sentence is read:
    a token that marks the end costs nothing more.
    """

    nats: dict[str, float]
    words: dict[str, float]

    @property
    def nats_per_story(self) -> float:
        """The entropy of a story."""
        return sum(self.nats.values())

    @property
    def words_per_story(self) -> float:
        """The mean length of a story."""
        return sum(self.words.values())

    @property
    def nats_per_word(self) -> float:
        """The floor of a model's loss, when every word is one token."""
        return self.nats_per_story / self.words_per_story

    def of(self, kind: str) -> float:
        """Return the floor of one kind of token, in nats a token."""
        return self.nats[kind] / self.words[kind]


def states_by_length(grammar: Grammar) -> Iterator[dict[State, float]]:
    """Give the states that a story can be in after 0, 1, 2 ... sentences.

    Each has the probability that a story gets there; stories that are over have left.
    """
    level: dict[State, float] = {(grammar.start, frozenset()): 1.0}
    while level:
        yield level
        after: dict[State, float] = {}
        for (world, said), p in level.items():
            for sentence in grammar.sentences(world):
                if sentence.after is not None:
                    state = (sentence.after, said | slots_in(sentence.units))
                    after[state] = after.get(state, 0.0) + p * sentence.weight
        level = after


def slots_in(units: tuple[str, ...]) -> frozenset[str]:
    """Collect the slots that some units say."""
    return frozenset(unit[1:] for unit in units if unit.startswith("@"))


def floor(grammar: Grammar) -> Floor:
    r"""Compute the entropy of a story, shared out among the kinds of token.

    The text tells the world at the end of every sentence, so the chain rule gives

    .. math:: H = \sum_{states} p(state) \, H(\text{next sentence} \mid state)

    and inside a sentence the same rule goes on word by word, along the tree of the sentences.

    Units:
        nats.

    Cost:
        one visit of every world: some seconds for :func:`everyday_stories`.
    """
    costs = _Costs(grammar)
    for level in states_by_length(grammar):
        for (world, said), p in level.items():
            costs.add(Node(grammar.sentences(world)), said, p)
    return Floor(dict(costs.nats), dict(costs.words))


class _Costs:
    """Expected losses and numbers of tokens, added up by kind."""

    def __init__(self, grammar: Grammar):
        self.grammar = grammar
        self.nats, self.words = Counter(), Counter()
        self._known: dict = {}

    def add(self, node: Node, said: frozenset[str], p: float) -> None:
        """Add the tokens from a node to the end of the sentence; p: the chance to get there."""
        if len(node.sentences) == 1:  # no choice is left but of words
            self._tokens(node.sentences[0].units[node.depth :], said, p)
            return
        for branch in node.branches:
            q = p * branch.probability
            kind = self._tokens((branch.unit,), said, q)
            self.nats[kind] -= q * math.log(branch.probability)
            if branch.node is not None:
                self.add(branch.node, said | slots_in((branch.unit,)), q)

    def _tokens(self, units: tuple[str, ...], said: frozenset[str], p: float) -> str:
        """Add the tokens of some units that are certain to come; return the last one's kind."""
        if (units, said) not in self._known:
            self._known[units, said] = self._price(units, said)
        for kind, nats, count in self._known[units, said]:
            self.nats[kind] += p * nats
            self.words[kind] += p * count
        return kind

    def _price(self, units: tuple[str, ...], said: frozenset[str]) -> list:
        """Give kind, nats and number of the tokens: what it costs to guess their words."""
        nats, words = Counter(), Counter()
        for unit in units:
            kind, surprise = CLOSED, math.log(unit.count("|") + 1)
            slot = unit[1:]
            if unit.startswith("@") and slot in said:
                kind = REPEATED[class_of(slot)]
            elif unit.startswith("@"):
                kind, surprise = FIRST, math.log(n_free(self.grammar, slot, said))
                said = said | {slot}
            nats[kind] += surprise
            words[kind] += 1
        return [(kind, nats[kind], count) for kind, count in words.items()]


def token_kinds(grammar: Grammar, words) -> list[str]:
    """Say of which kind each word of a story is; any text will do, also an impossible one."""
    kinds, seen = [], set()
    for word in words:
        name = grammar.class_of_word.get(word)
        kinds.append(CLOSED if name is None else REPEATED[name] if word in seen else FIRST)
        seen.add(word)
    return kinds
