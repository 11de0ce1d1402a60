"""Sampling: from the scores of the next token to a token."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.mechanisms.softmax import softmax


def sample(
    logits: Float[Tensor, "*batch vocab"],
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "*batch"]:
    """Draw one id a row from softmax(logits / temperature).

    Args:
        logits: scores of the next token.
        temperature: 0 takes the largest score (greedy, the first of equals); 1 draws from the
            model's own probabilities; above 1 they even out.
        generator: source of randomness, for a draw that can be repeated.

    Raises:
        ValueError: if ``temperature`` is negative or not finite.
    """
    if temperature == 0:
        return logits.argmax(dim=-1)
    probs = softmax(logits, temperature=temperature)
    drawn = torch.multinomial(probs.reshape(-1, probs.shape[-1]), 1, generator=generator)
    return drawn.reshape(probs.shape[:-1])
