"""What the best possible reader scores on story pairs: computed once; the tests do a part again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import (
    MASK,
    Corruption,
    MaskedFloor,
    averaged,
    corrupt,
    mean_and_error,
    posteriors,
    scores,
)
from course_lib.data.stories.order import Pair, bayes_accuracy, follows, in_order
from course_lib.data.stories.reading import read
from course_lib.data.stories.sampling import tell
from course_lib.data.story_pairs import CUTS, story_masking, story_tokenizer

_PRUNE = 1e-8


@dataclass(frozen=True)
class KindScore:
    """How often the best reader names a selected word, by what became of it."""

    accuracy: float
    accuracy_error: float
    loss: float
    n_positions: int


@dataclass(frozen=True)
class MaskedScores:
    """The best reader of whole stories with 80/10/10 masks, who knows where ``[SEP]`` stands.

    Attributes:
        floor: over all selected positions; ``floor.accuracy`` is what a model's accuracy is
            compared with.
        kinds: for ``masked``, ``random`` and ``kept`` positions.
    """

    floor: MaskedFloor
    kinds: dict[str, KindScore]


def piece_corruption(rate: float = 0.15) -> tuple[Corruption, tuple[str, ...]]:
    """Say how pieces are hidden, and which can come in place of a word: all but special ones."""
    masking, tokens = story_masking(rate), story_tokenizer().vocabulary.tokens
    pieces = tuple(token for i, token in enumerate(tokens) if i not in masking.special_ids)
    return Corruption(len(pieces), rate, masking.as_mask, masking.as_random), pieces


def masked_posteriors(
    seen: Sequence[str], positions: Sequence[int], n_first: int, rate: float = 0.15
) -> list[dict[str, float]]:
    """Return what the grammar says of some selected words of a corrupted story.

    Args:
        seen: the words and masks of both parts, special tokens left out.
        positions: which of them are asked for, in rising order; others may be false as well.
        n_first: how many of the words belong to the first part.
        rate: the share of words that are selected.

    Cost:
        some milliseconds a position, some tenths of a second where the story is long.
    """
    how, _ = piece_corruption(rate)
    return posteriors(everyday_stories(), seen, positions, how, _PRUNE, (n_first,))


def score_masked(n_stories: int, seed: int) -> MaskedScores:
    """Let the best reader answer on stories that are corrupted once each.

    Cost:
        about 0.1 s a story.
    """
    how, pieces = piece_corruption()
    rows: list[list[tuple[str, tuple[float, float, float], bool]]] = []
    for number, story in enumerate(tell(n_stories, seed)):
        seen, positions = corrupt(story.words, pieces, how, seed + number)
        n_first = sum(map(len, story.sentences[: CUTS[number % len(CUTS)]]))
        answers = masked_posteriors(seen, positions, n_first)
        rows.append([(_kind(seen[at], story.words[at]), scores(p, story.words[at]),
                      max(p, key=p.__getitem__) == story.words[at])
                     for p, at in zip(answers, positions, strict=True)])  # fmt: skip
    return MaskedScores(
        averaged([[score for _, score, _ in row] for row in rows]),
        {kind: _of_kind(kind, rows) for kind in ("masked", "random", "kept")},
    )


def _kind(seen: str, said: str) -> str:
    """What became of a word."""
    return "masked" if seen == MASK else "kept" if seen == said else "random"


def _of_kind(kind: str, rows: list) -> KindScore:
    """Average over the positions of one kind."""
    chosen = [[(score[0], float(right)) for k, score, right in row if k == kind] for row in rows]
    loss, _ = mean_and_error([[surprise for surprise, _ in row] for row in chosen])
    accuracy, error = mean_and_error([[right for _, right in row] for row in chosen])
    return KindScore(accuracy, error, loss, sum(map(len, chosen)))


def next_beliefs(pairs: Sequence[Pair], same_names: bool = True) -> list[float]:
    """Return the probability that B follows A, for pairs made by ``next_part_pairs``."""
    grammar = everyday_stories()
    cuts = [len(read(grammar, pair.first).worlds) - 1 for pair in pairs]
    return [follows(grammar, pair.first, pair.second, cut, same_names)
            for pair, cut in zip(pairs, cuts, strict=True)]  # fmt: skip


def order_beliefs(pairs: Sequence[Pair]) -> list[float]:
    """Return the probability that two sentences are in order, for ``sentence_order_pairs``."""
    return [in_order(everyday_stories(), pair.first, pair.second) for pair in pairs]


@dataclass(frozen=True)
class PairScores:
    """The best reader of pairs that a coin has chosen: its surprise, and its right answers."""

    loss: float
    accuracy: float
    accuracy_error: float
    n_pairs: int


def score_pairs(beliefs: Sequence[float]) -> PairScores:
    """Average what the best reader scores, over both labels as likely as it finds them."""
    accuracy, error = bayes_accuracy(beliefs)
    surprises = [-sum(p * math.log(p) for p in (b, 1 - b) if p > 0) for b in beliefs]
    return PairScores(math.fsum(surprises) / len(beliefs), accuracy, error, len(beliefs))


# score_masked(500, seed=2_000_003)
EVERYDAY_MASKED = MaskedScores(
    MaskedFloor(
        loss=0.18292807854941967,
        loss_error=0.01214328622704255,
        entropy=0.17423362035291834,
        entropy_error=0.009550313884298695,
        accuracy=0.9233683243361281,
        accuracy_error=0.003946331695127853,
        n_positions=4237,
    ),
    {
        "masked": KindScore(0.9105403011514615, 0.005388381246613916, 0.20136890113449768, 3387),
        "random": KindScore(0.909297052154195, 0.013126990686517691, 0.2001199435250537, 441),
        "kept": KindScore(0.9975550122249389, 0.0024470047930255988, 0.011679475737894976, 409),
    },
)
# score_pairs of next_beliefs, 4,000 pairs of other seeds
EVERYDAY_NEXT = PairScores(0.14602666402234776, 0.9495506736920972, 0.001276736485619382, 4000)
# score_pairs of next_beliefs with same_names=False, 2,000 pairs of other seeds
EVERYDAY_OTHER = PairScores(0.0008110805924602548, 0.9997939287247014, 0.00012457481033953198, 2000)
# score_pairs of order_beliefs, 2,000 pairs of other seeds
EVERYDAY_ORDER = PairScores(0.10286094775040303, 0.9330364838413747, 0.003582494171341313, 2000)
