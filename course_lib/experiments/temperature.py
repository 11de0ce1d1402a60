"""The first toy: five words compete for the end of a sentence, at a temperature (lesson 01)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.mechanisms.softmax import softmax

WORDS = ("mat", "sofa", "floor", "roof", "moon")
SCORES = (2.0, 1.3, 0.9, -0.3, -1.6)
TEMPERATURES = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


@dataclass(frozen=True)
class Shares:
    """What each word gets at one temperature."""

    temperature: float
    probs: Float[Tensor, " word"]
    words: tuple[str, ...] = WORDS


@dataclass(frozen=True)
class Curves:
    """What each word gets at every temperature of ``TEMPERATURES``."""

    temperatures: tuple[float, ...]
    probs: Float[Tensor, "temperature word"]
    words: tuple[str, ...] = WORDS


def word_shares(temperature: float) -> Shares:
    """Share out the end of "The cat sat on the ..." among five words.

    Raises:
        ValueError: if ``temperature`` is not a positive finite number.
    """
    return Shares(temperature, softmax(torch.tensor(SCORES), temperature=temperature))


def share_curves() -> Curves:
    """Share it out at every temperature of the slider."""
    return Curves(TEMPERATURES, torch.stack([word_shares(t).probs for t in TEMPERATURES]))
