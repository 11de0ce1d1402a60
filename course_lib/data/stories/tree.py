"""Where a reader is inside a sentence: the sentences that begin with what was read so far."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from course_lib.data.stories.world import Sentence


class Branch(NamedTuple):
    """One unit that may be said next."""

    unit: str
    probability: float  # of this unit, given the way to the node
    node: "Node | None"  # where it leads; None: the sentence ends here
    after: Hashable | None  # the world after the sentence, when it ends here


class Node:
    """Sentences that agree in their first ``depth`` units; branches grow when asked for."""

    __slots__ = ("_branches", "depth", "sentences")

    def __init__(self, sentences: Sequence[Sentence], depth: int = 0):
        self.sentences, self.depth = sentences, depth
        self._branches: tuple[Branch, ...] | None = None

    @property
    def branches(self) -> tuple[Branch, ...]:
        """List the units that may be said next; none after the end of the story.

        Raises:
            ValueError: if two sentences have the same units, or one word fits two units: a reader
                could not tell the world from the text, and the entropy would not be exact.
        """
        if self._branches is None:
            self._branches = tuple(self._grow())
        return self._branches

    def _grow(self) -> Iterator[Branch]:
        groups: dict[str, list[Sentence]] = {}
        for sentence in self.sentences:
            groups.setdefault(sentence.units[self.depth], []).append(sentence)
        _require_distinct(groups)
        total = sum(sentence.weight for sentence in self.sentences)
        for unit, group in groups.items():
            share = sum(sentence.weight for sentence in group) / total
            ended = [s for s in group if len(s.units) == self.depth + 1]
            if ended and len(group) > 1:
                texts = [" ".join(s.units) for s in group[:2]]
                raise ValueError(f"no sentence may be the beginning of another, got {texts}")
            if ended:
                yield Branch(unit, share, None, ended[0].after)
            else:
                yield Branch(unit, share, Node(group, self.depth + 1), None)


def _require_distinct(units: Collection[str]) -> None:
    """Raise if a word is in two of the units."""
    if len(units) > 1:
        words = [word for unit in units for word in unit.split("|")]
        if len(set(words)) < len(words):
            raise ValueError(f"no word may fit two branches, got {sorted(units)}")
