"""A grammar: worlds, the sentences that may follow in each, and the words that fill the slots."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate

from course_lib.data.stories.plot import plot
from course_lib.data.stories.tree import Branch, Node
from course_lib.data.stories.words import CLASSES, closed_words
from course_lib.data.stories.world import Sentence, World


class Grammar:
    """All stories that can be told, and how likely each is.

    Args:
        plot: gives the sentences that may follow in a world; their weights need not sum to 1.
        start: the world before the first sentence.
        classes: the words of each open class.
        closed: the words that belong to no class.

    Raises:
        ValueError: if a word stands in two classes, or in a class and among the closed words.
    """

    def __init__(
        self,
        plot: Callable[[Hashable], Iterable[Sentence]],
        start: Hashable,
        classes: Mapping[str, Sequence[str]],
        closed: Sequence[str],
    ):
        self.plot, self.start = plot, start
        self.classes = {name: tuple(words) for name, words in classes.items()}
        self.closed = tuple(closed)
        listed = [*self.closed, *(word for words in self.classes.values() for word in words)]
        twice = sorted({word for word in listed if listed.count(word) > 1})
        if twice:
            raise ValueError(f"each word must belong to one class only, got {twice} more than once")
        self.vocabulary = tuple(sorted(listed))
        self.class_of_word = {w: name for name, words in self.classes.items() for w in words}
        self._sentences, self._trees, self._steps = {}, {}, {}
        self.end = Node(())  # nothing may follow

    def sentences(self, world: Hashable) -> list[Sentence]:
        """List what may be said next, with probabilities that sum to 1."""
        if world not in self._sentences:
            found = list(self.plot(world))
            total = sum(sentence.weight for sentence in found)
            self._sentences[world] = [Sentence(s.weight / total, *s[1:]) for s in found]
        return self._sentences[world]

    def cumulated(self, world: Hashable) -> list[float]:
        """Add up the probabilities of the sentences, for drawing one."""
        if world not in self._steps:
            self._steps[world] = list(accumulate(s.weight for s in self.sentences(world)))
        return self._steps[world]

    def tree(self, world: Hashable | None) -> Node:
        """Return the sentences that may follow as a tree, in which shared beginnings are one."""
        if world is None:
            return self.end
        if world not in self._trees:
            self._trees[world] = Node(self.sentences(world))
        return self._trees[world]

    def follow(self, branch: Branch) -> Node:
        """Return the node after a branch: inside the sentence, or the root of the next one."""
        return branch.node or self.tree(branch.after)


@cache
def everyday_stories() -> Grammar:
    """Return the grammar of this package: two people, a thing, some food, three places."""
    return Grammar(plot, World(), CLASSES, closed_words())
