"""Step 3: a merge changes only the pairs beside it, so only those are counted again.

Three facts make this exact.  A merge changes nothing but the neighbours of the places where it
happens.  A pair's count can only fall once the merge that made its newer part is done.  And for
the same reason its places are only ever lost.  So a heap may hold old counts: they are too high
at worst, and are put right when they come to the top.
"""

import heapq
from itertools import pairwise

from course_lib.tokenizers.bpe.ties import Pair, tie_key

GONE = -1  # the border between two words, and the right half of a place that was merged


class LinkedWords:
    """All distinct words in one row of symbols, and for each pair its count and its places.

    A place is the index of a pair's left symbol.  Merging writes the new id there and links
    past the right symbol, so places never move.
    """

    def __init__(self, word_counts: dict[tuple[int, ...], int]):
        self.symbols, self.weights = [GONE], [0]
        self.counts: dict[Pair, int] = {}
        self.places: dict[Pair, list[int]] = {}
        for word, n in word_counts.items():
            start = len(self.symbols)
            self.symbols += (*word, GONE)
            self.weights += [n] * (len(word) + 1)
            for place, pair in enumerate(pairwise(word), start):
                self._gain(pair, place, n)
        self.next = list(range(1, len(self.symbols) + 1))
        self.previous = list(range(-1, len(self.symbols) - 1))

    def merge(self, pair: Pair, new_id: int) -> set[Pair]:
        """Merge a pair wherever it stands, from left to right; return the pairs this made."""
        symbols, made = self.symbols, set()
        for place in self.places.pop(pair):
            if not self.stands(pair, place):
                continue
            right = self.next[place]
            before, after = self.previous[place], self.next[right]
            n = self.weights[place]
            if symbols[before] != GONE:
                self.counts[symbols[before], pair[0]] -= n
                made.add(self._gain((symbols[before], new_id), before, n))
            if symbols[after] != GONE:
                self.counts[pair[1], symbols[after]] -= n
                made.add(self._gain((new_id, symbols[after]), place, n))
            symbols[place], symbols[right] = new_id, GONE
            self.next[place], self.previous[after] = after, place
        del self.counts[pair]
        return made

    def stands(self, pair: Pair, place: int) -> bool:
        """Tell whether a pair still stands where it stood once."""
        return self.symbols[place] == pair[0] and self.symbols[self.next[place]] == pair[1]

    def first_place(self, pair: Pair) -> int:
        """Find where a pair is met first; its places were noted from left to right."""
        return next(place for place in self.places[pair] if self.stands(pair, place))

    def _gain(self, pair: Pair, place: int, n: int) -> Pair:
        """Note that a pair stands at one more place."""
        self.counts[pair] = self.counts.get(pair, 0) + n
        self.places.setdefault(pair, []).append(place)
        return pair


class PairQueue:
    """Gives the most frequent pair; counts in the heap may be old, and are then put right."""

    def __init__(self, words: LinkedWords, tokens: list[bytes], tie: str):
        self.words, self.tokens, self.tie = words, tokens, tie
        self.heap = [self._entry(pair) for pair in words.counts]
        heapq.heapify(self.heap)

    def add(self, pair: Pair) -> None:
        """Take a pair in, if it stands anywhere."""
        if self.words.counts.get(pair, 0) > 0:
            heapq.heappush(self.heap, self._entry(pair))

    def pop(self) -> Pair | None:
        """Take the best pair out; None when no pair is left."""
        while self.heap:
            entry = heapq.heappop(self.heap)
            pair = entry[-1]
            if self.words.counts[pair] > 0 and entry == self._entry(pair):
                return pair
            self.add(pair)
        return None

    def _entry(self, pair: Pair) -> tuple:
        """What the heap sorts by: the greatest count first, then the tie rule."""
        key = tie_key(self.tie, pair, self.tokens, self.words.first_place)
        return -self.words.counts[pair], key, pair


def train_updated(
    word_counts: dict[tuple[int, ...], int], tokens: list[bytes], n_merges: int, tie: str
) -> list[Pair]:
    """Learn the same merges as `train_naive`, counting only what a merge has changed.

    Args:
        word_counts, tokens, n_merges, tie: as in `train_counted`.

    Cost:
        one look at each symbol, and then a few steps for each place that is merged.
    """
    tokens, merges, words = list(tokens), [], LinkedWords(word_counts)
    queue = PairQueue(words, tokens, tie)
    while len(merges) < n_merges and (pair := queue.pop()) is not None:
        new_id = len(tokens)
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)
        for made in words.merge(pair, new_id):
            queue.add(made)
    return merges
