"""Bags of words: how much of a task on pairs of sentences is told by which words occur (lesson 62).

Whoever has only the two bags knows which words each part holds and which ones both do, but not
where they stand.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import require_whole
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.order import Pair

_MOST_SHARED = 8  # shared content words that get a feature of their own


def bag_features(pairs: Sequence[Pair]) -> Float[Tensor, "pair feature"]:
    """Describe pairs by their bags alone.

    Returns:
        For each word of the grammar whether only the first part has it, only the second, or both;
        and for each number of shared content words whether it is that one.
    """
    grammar = everyday_stories()
    index = {word: i for i, word in enumerate(grammar.vocabulary)}
    n_words, closed = len(index), set(grammar.closed)
    features = torch.zeros(len(pairs), 3 * n_words + _MOST_SHARED + 1)
    for row, pair in zip(features, pairs, strict=True):
        first, second = set(pair.first), set(pair.second)
        for block, words in enumerate((first - second, second - first, first & second)):
            row[[block * n_words + index[word] for word in words]] = 1.0
        shared = len((first & second) - closed)
        row[3 * n_words + min(shared, _MOST_SHARED)] = 1.0
    return features


def fit_bags(pairs: Sequence[Pair], decay: float = 1e-3, n_steps: int = 120) -> nn.Linear:
    """Learn one weight for each feature: a logistic regression, as much as bags can give it.

    Args:
        decay: pull of the weights towards 0, against learning single pairs by heart.
    """
    require_whole(1, n_steps=n_steps)
    features, labels = bag_features(pairs), _labels(pairs)
    with torch.random.fork_rng(devices=[]):  # nothing is random: the start is all zeros
        model = nn.Linear(features.shape[1], 1)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    adam = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(n_steps):
        scores = model(features).squeeze(-1)
        loss = nn.functional.binary_cross_entropy_with_logits(scores, labels)
        loss = loss + decay * model.weight.square().sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return model.requires_grad_(False)


def bag_accuracy(model: nn.Linear, pairs: Sequence[Pair]) -> float:
    """Return the share of pairs that the bags judge rightly."""
    says_next = model(bag_features(pairs)).squeeze(-1) > 0
    return (says_next == _labels(pairs).bool()).double().mean().item()


def _labels(pairs: Sequence[Pair]) -> Float[Tensor, " pair"]:
    """1 where the second part follows the first."""
    if not pairs:
        raise ValueError("pairs must hold at least one pair, got none")
    return torch.tensor([float(pair.follows) for pair in pairs])
