"""From a word's bytes to ids: the learnt merges again, in the order in which they were learnt.

Both functions give the same ids.  A merge never makes a pair that was learnt before it, so it
makes no difference whether one place or all places of a pair are merged at a time.
"""

import heapq
import math
from itertools import pairwise

from course_lib.tokenizers.bpe.naive import merge_pair
from course_lib.tokenizers.bpe.ties import Pair

LONG = 64  # from about here on, looking for the best pair again and again costs more than a heap


def encode_word(ids: list[int], ranks: dict[Pair, int], new_ids: list[int]) -> list[int]:
    """Merge, of the pairs that stand in the word, the one learnt first, until none is left.

    Args:
        ids: the ids of the word's bytes.
        ranks: when each pair was learnt, from 0.
        new_ids: the id that each merge makes, by rank.

    Cost:
        the square of the word's length.
    """
    while len(ids) > 1:
        pair = min(pairwise(ids), key=lambda pair: ranks.get(pair, math.inf))
        if pair not in ranks:
            break
        ids = merge_pair(ids, pair, new_ids[ranks[pair]])
    return ids


def encode_long_word(ids: list[int], ranks: dict[Pair, int], new_ids: list[int]) -> list[int]:
    """Do the same as `encode_word` with a heap, for a word of any length.

    Cost:
        the word's length times its logarithm.
    """
    symbols, last = [*ids, -1], len(ids)  # symbols[last] ends the row; -1 is in no pair
    following, previous = list(range(1, last + 2)), list(range(-1, last))
    found = [(ranks[pair], place) for place, pair in enumerate(pairwise(ids)) if pair in ranks]
    heapq.heapify(found)
    while found:
        rank, place = heapq.heappop(found)
        right = following[place]
        if right > last or ranks.get((symbols[place], symbols[right])) != rank:
            continue  # a merge before took one of the two
        symbols[place], symbols[right] = new_ids[rank], -1
        following[place] = after = following[right]
        previous[after] = place
        before = previous[place]
        for left, pair in (
            (before, (symbols[before], symbols[place])),
            (place, (symbols[place], symbols[after])),
        ):
            if pair in ranks:
                heapq.heappush(found, (ranks[pair], left))
    return [symbol for symbol in symbols if symbol != -1]
