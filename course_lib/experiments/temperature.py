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
    """What each word gets at one temperature, and what it would get at all the others."""

    temperature: float
    probs: Float[Tensor, " word"]
    temperatures: tuple[float, ...]
    curves: Float[Tensor, "temperature word"]
    words: tuple[str, ...] = WORDS


def word_shares(temperature: float) -> Shares:
    """Share out the end of "The cat sat on the ..." among five words.

    Raises:
        ValueError: if ``temperature`` is not a positive finite number.
    """
    scores = torch.tensor(SCORES)
    curves = torch.stack([softmax(scores, temperature=t) for t in TEMPERATURES])
    return Shares(temperature, softmax(scores, temperature=temperature), TEMPERATURES, curves)
