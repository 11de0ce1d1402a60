"""The everyday stories as BERT reads them: cut in two, in word pieces, with special tokens."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from course_lib.config import require_whole
from course_lib.data.masking import Masking
from course_lib.data.paired_texts import FOLLOWS, STRANGER, PairedTexts, paired_texts
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.order import Pair, order_pairs, pair_up
from course_lib.data.stories.sampling import tell
from course_lib.tokenizers.bert_pair import EncodedPair, join_pair
from course_lib.tokenizers.vocabulary import MASK, PAD
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

CUTS = (2, 3)  # sentences of the first part
_HELD_OUT_SEED = 1_000_003  # far from the seeds that training stories take


@cache
def story_tokenizer() -> WordPieceTokenizer:
    """Learn word pieces from stories until every word of the grammar is one piece.

    The words that only questions about stories use are shown too, so that they have a piece each.
    Names keep their capitals.
    """
    texts = [story.text for story in tell(2000, seed=0)]
    texts.append(" ".join(everyday_stories().vocabulary))
    return WordPieceTokenizer.train(texts, vocab_size=1000, lower_case=False)


def story_masking(rate: float = 0.15, **shares: float) -> Masking:
    """Say how words of stories are hidden: BERT's 80/10/10, unless other shares are given."""
    vocabulary = story_tokenizer().vocabulary
    special = tuple(vocabulary.id_of(token) for token in vocabulary.special_tokens)
    return Masking(vocabulary.id_of(MASK), len(vocabulary), special, rate, **shares)


@dataclass(frozen=True)
class StoryPairs:
    """Pairs of parts of stories, to learn from and to measure on.

    Attributes:
        train, validation: as ids.
        held_out: the words of ``validation``, pair by pair.
        tokenizer: each word is one piece.
    """

    train: PairedTexts
    validation: PairedTexts
    held_out: tuple[Pair, ...]
    tokenizer: WordPieceTokenizer


def next_part_pairs(
    n_pairs: int = 40_000, n_held_out: int = 1000, seed: int = 0, same_names: bool = True
) -> StoryPairs:
    """Cut stories in two; every other first part gets the rest of another story.

    The first part is two sentences or three, in turn.

    Args:
        same_names: whether the wrong second part is told again with the names, places and
            objects of the first, so that comparing words is not enough.
    """
    require_whole(2, n_pairs=n_pairs, n_held_out=n_held_out)
    require_whole(0, seed=seed)
    told = (_cut_stories(n, s, same_names) for n, s in _sizes(n_pairs, n_held_out, seed))
    return _encoded(*told)


def sentence_order_pairs(
    n_pairs: int = 40_000, n_held_out: int = 1000, seed: int = 0, skip: int = 2
) -> StoryPairs:
    """Take two neighbouring sentences of each story, and swap every other pair (SOP).

    Args:
        skip: sentences of the story before them.
    """
    told = (_shuffled(order_pairs(everyday_stories(), n, s, skip), s)
            for n, s in _sizes(n_pairs, n_held_out, seed))  # fmt: skip
    return _encoded(*told)


def _sizes(n_pairs: int, n_held_out: int, seed: int) -> tuple[tuple[int, int], ...]:
    """Numbers and seeds of the pairs to learn from and of those to measure on."""
    return (n_pairs, seed), (n_held_out, _HELD_OUT_SEED + seed)


def _cut_stories(n_pairs: int, seed: int, same_names: bool) -> list[Pair]:
    """Pair every story with its own rest or with that of the one before it in the list."""
    stories, grammar = tell(n_pairs, seed), everyday_stories()
    others = [stories[-1], *stories[:-1]]
    parts = []
    for i, cut in enumerate(CUTS):
        some, strangers = stories[i :: len(CUTS)], others[i :: len(CUTS)]
        parts += pair_up(grammar, some, strangers, seed + i, cut, same_names)
    return _shuffled(parts, seed)


def _shuffled(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Mix: whoever takes every second or fourth pair must not get one answer alone."""
    draw = random.Random(seed).random
    return sorted(pairs, key=lambda pair: draw())


def _encoded(train: Sequence[Pair], held_out: Sequence[Pair]) -> StoryPairs:
    """Turn words into ids."""
    tokenizer = story_tokenizer()
    pad = tokenizer.vocabulary.id_of(PAD)
    train_rows, held_out_rows = (
        paired_texts([encode_words(pair.first, pair.second) for pair in pairs],
                     [FOLLOWS if pair.follows else STRANGER for pair in pairs], pad)
        for pairs in (train, held_out)
    )  # fmt: skip
    return StoryPairs(train_rows, held_out_rows, tuple(held_out), tokenizer)


def encode_words(first: Sequence[str], second: Sequence[str] | None = None) -> EncodedPair:
    """Encode words of stories, special tokens around them; ``[MASK]`` may be among the words.

    Raises:
        ValueError: if a word is not a piece of :func:`story_tokenizer`.
    """
    tokenizer = story_tokenizer()
    a, b = (None if words is None else [tokenizer.vocabulary.id_of(word) for word in words]
            for words in (first, second))  # fmt: skip
    return join_pair(tokenizer, a, b)
