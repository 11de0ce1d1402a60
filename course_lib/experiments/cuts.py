"""What a cut of the distribution takes away: words that were possible, and words that were not.

The stories' grammar knows at every place which words may follow, and how probable each is.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_whole
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.reading import next_words
from course_lib.data.stories.sampling import tell
from course_lib.mechanisms.sampling import next_probabilities
from course_lib.models.shipped import Shipped
from course_lib.training.objectives import looking

Cut = Mapping[str, float | int]  # the arguments of next_probabilities


@dataclass(frozen=True)
class Places:
    """Places in stories: what a model says about the next word, and what is true."""

    logits: Float[Tensor, "place word"]
    truth: Float[Tensor, "place word"]


@dataclass(frozen=True)
class Cost:
    """What a cut does, averaged over places.

    Attributes:
        kept: how many words it leaves.
        lost: the true probability of the words that it takes away.
        wrong: the probability, after the cut, of words that cannot follow.
    """

    kept: float
    lost: float
    wrong: float


def places(shipped: Shipped, n_stories: int = 60, seed: int = 2_000_003) -> Places:
    """Ask a model and the grammar for the next word, at every place of fresh stories."""
    require_whole(1, n_stories=n_stories)
    grammar, logits, truth = everyday_stories(), [], []
    number = {word: i for i, word in enumerate(shipped.words)}
    for story in tell(n_stories, seed):
        ids = shipped.prompt(story.text)[:, :-1]  # the story's end is no word of the grammar
        with looking(shipped.model):
            logits.append(shipped.model(ids)[0])
        rows = torch.zeros(len(story.words), len(shipped.words))
        for place, row in enumerate(rows):
            for word, p in next_words(grammar, story.words[:place]).items():
                row[number[word]] = p
        truth.append(rows)
    return Places(torch.cat(logits), torch.cat(truth))


def cost(where: Places, cut: Cut) -> Cost:
    """Measure a cut at all places."""
    return cost_of(next_probabilities(where.logits, **cut), where.truth)


def cut_then_heated(where: Places, temperature: float, cut: Cut) -> Cost:
    """Measure a cut that acts before the temperature does: the other way round."""
    left = next_probabilities(where.logits, **cut)
    return cost_of(next_probabilities(left.log(), temperature), where.truth)


def cost_of(
    probs: Float[Tensor, "place word"], truth: Float[Tensor, "place word"]
) -> Cost:
    """Compare what is left after a cut with what is true."""
    kept, possible = probs > 0, truth > 0
    return Cost(
        kept.sum(-1).float().mean().item(),
        (truth * ~kept).sum(-1).mean().item(),
        (probs * ~possible).sum(-1).mean().item(),
    )
