"""The floor of masked language modelling: the exact posterior of a word that was selected."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.config import require_fraction, require_number, require_whole
from course_lib.data.stories.beliefs import (
    Beliefs,
    Channel,
    Hypothesis,
    advance,
    over,
    target_words,
)
from course_lib.data.stories.grammar import Grammar
from course_lib.data.stories.sampling import Story

MASK = "[MASK]"


@dataclass(frozen=True)
class Corruption:
    """How words are hidden: each is selected with the same chance, and then one of three happens.

    Attributes:
        n_words: how many words a random one is drawn from.
        selected: the share of words that are selected, and scored.
        masked: the share of the selected words that become ``[MASK]``.
        replaced: the share that become a random word, drawn from all; the rest stay as they are.
    """

    n_words: int
    selected: float = 0.15
    masked: float = 0.8
    replaced: float = 0.1

    def __post_init__(self):
        for name in ("selected", "masked", "replaced"):
            share = getattr(self, name)
            require_number(**{name: share})
            if not 0 <= share <= 1:
                raise ValueError(f"{name} must lie in [0, 1], got {share}")
        if self.masked + self.replaced > 1 + 1e-12:
            both = f"{self.masked} + {self.replaced}"
            raise ValueError(f"masked + replaced must be <= 1, got {both}")
        require_whole(1, n_words=self.n_words)

    def channel(self, seen: str, selected: bool) -> Channel:
        """Say where a token comes from, at a position known to be selected, or at any other."""
        chance = 1.0 if selected else self.selected
        if seen == MASK:
            return Channel(0.0, chance * self.masked)
        kept = chance * max(0.0, 1 - self.masked - self.replaced)
        random_word = chance * self.replaced / self.n_words
        return Channel(kept + 1 - chance, random_word)


def corrupt(words: Sequence[str], vocabulary: Sequence[str], how: Corruption, seed: int):
    """Corrupt one story.

    Returns:
        the tokens seen, and the positions that were selected.

    Raises:
        ValueError: if the vocabulary has another size than ``how`` says.
    """
    require_whole(0, seed=seed)
    if len(vocabulary) != how.n_words:
        raise ValueError(f"vocabulary must hold n_words = {how.n_words}, got {len(vocabulary)}")
    draw = random.Random(seed).random
    seen, positions = list(words), []
    for position in range(len(seen)):
        if draw() >= how.selected:
            continue
        positions.append(position)
        fate = draw()
        if fate < how.masked:
            seen[position] = MASK
        elif fate < how.masked + how.replaced:
            seen[position] = vocabulary[int(draw() * len(vocabulary))]
    return seen, positions


def posteriors(
    grammar: Grammar,
    seen: Sequence[str],
    positions: Sequence[int],
    how: Corruption,
    prune: float = 1e-9,
    breaks: Sequence[int] = (),
) -> list[dict[str, float]]:
    """Return the probabilities of the word at each of some positions, given the corrupted story.

    Each is the best answer of a model that sees the whole story and knows that this position was
    selected; it does not know which others were.

    Args:
        seen: the corrupted story, complete, with ``"[MASK]"`` for hidden words.
        positions: where, in rising order; all of them selected.
        how: how the story was corrupted.
        prune: 0 is exact, but with ``replaced`` > 0 any word may be false, and everything stays
            possible: only short stories can be done.  See :func:`beliefs.advance`.
        breaks: positions at which a sentence is known to begin, as a ``[SEP]`` before it says.

    Raises:
        ValueError: if the grammar cannot tell such a story.
    """
    require_fraction(prune=prune)
    places = list(positions)
    require_whole(0, **{f"positions[{i}]": place for i, place in enumerate(places)})
    if places != sorted(set(places)) or (places and places[-1] >= len(seen)):
        raise ValueError(f"positions must rise and be below {len(seen)}, got {places}")
    start: Beliefs = {Hypothesis(grammar.tree(grammar.start)): 1.0}
    found, wanted = [], set(places)
    for position in range(len(seen)):
        if position in breaks:
            start = _begun(start)
        if position in wanted:
            found.append(_posterior(grammar, start, seen, position, how, prune, breaks))
        channel = how.channel(seen[position], selected=False)
        start = advance(grammar, start, seen[position], channel, prune=prune)
    return found


def _begun(beliefs: Beliefs) -> Beliefs:
    """Keep what is possible when a sentence begins here."""
    return {h: p for h, p in beliefs.items() if h.node.depth == 0}


def _posterior(
    grammar: Grammar, beliefs: Beliefs, seen: Sequence[str], position: int, how: Corruption,
    prune: float, breaks: Sequence[int],
) -> dict[str, float]:  # fmt: skip
    """Read on from a position, remembering what was said there."""
    for here in range(position, len(seen)):
        if here in breaks:
            beliefs = _begun(beliefs)
        channel = how.channel(seen[here], selected=here == position)
        beliefs = advance(grammar, beliefs, seen[here], channel, here == position, prune)
    return target_words(grammar, over(grammar, beliefs))


@dataclass(frozen=True)
class MaskedFloor:
    """What the best possible reader scores on some corrupted stories, with standard errors.

    Attributes:
        loss: -log p(the word that was said), averaged over the selected positions, in nats.
        entropy: of the posteriors, averaged: the same in the long run, with less noise.
        accuracy: the probability that the likeliest word is right, averaged.
        n_positions: how many positions were scored.
    """

    loss: float
    loss_error: float
    entropy: float
    entropy_error: float
    accuracy: float
    accuracy_error: float
    n_positions: int


def masked_floor(
    grammar: Grammar, stories: Sequence[Story], how: Corruption, seed: int, prune: float = 1e-9
) -> MaskedFloor:
    """Score the best possible reader on stories that are corrupted once each.

    Raises:
        ValueError: for fewer than two stories, which show no standard error.
    """
    if len(stories) < 2:
        raise ValueError(f"stories must be 2 or more, got {len(stories)}")
    rows = []
    for number, story in enumerate(stories):
        seen, positions = corrupt(story.words, grammar.vocabulary, how, seed + number)
        answers = posteriors(grammar, seen, positions, how, prune)
        rows.append([scores(p, story.words[at]) for p, at in zip(answers, positions, strict=True)])
    return averaged(rows)


def averaged(rows: Sequence[Sequence[tuple[float, float, float]]]) -> MaskedFloor:
    """Average the scores of the positions of some stories."""
    means = [mean_and_error([[s[i] for s in row] for row in rows]) for i in range(3)]
    return MaskedFloor(*(number for pair in means for number in pair), sum(map(len, rows)))


def scores(posterior: dict[str, float], truth: str) -> tuple[float, float, float]:
    """Return the surprise at the truth, the entropy, and the greatest probability."""
    entropy = -sum(p * math.log(p) for p in posterior.values() if p > 0)
    return -math.log(posterior[truth]), entropy, max(posterior.values())


def mean_and_error(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Average over all entries, with the standard error when only whole rows are independent."""
    count = sum(map(len, rows))
    if count == 0:
        raise ValueError("rows must hold at least one number, got none")
    mean = sum(map(sum, rows)) / count
    squares = sum((sum(row) - mean * len(row)) ** 2 for row in rows)
    return mean, math.sqrt(squares * len(rows) / max(1, len(rows) - 1)) / count
