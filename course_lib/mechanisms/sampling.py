"""Sampling: from the scores of the next token to a token."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.mechanisms.require import require_floats
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
        ValueError: if ``temperature`` is negative or not finite, or nothing can be drawn because
            a row holds NaN or infinity, or nothing but ``-inf``.
    """
    require_floats(1, logits=logits)
    if temperature == 0:
        largest, first = logits.max(dim=-1)
        _require_sound(largest, temperature)
        return first
    probs = softmax(logits, temperature=temperature)
    _require_sound(probs[..., 0], temperature)  # softmax spreads a NaN over its whole row
    drawn = torch.multinomial(probs.reshape(-1, probs.shape[-1]), 1, generator=generator)
    return drawn.reshape(probs.shape[:-1])


def _require_sound(one_a_row: Tensor, temperature: float) -> None:
    """Raise if a row has become NaN: there is no next token to be drawn from it."""
    if not one_a_row.isfinite().all():
        raise ValueError(
            f"logits must leave each row something to draw at temperature {temperature}, "
            "got a row with NaN, inf, or nothing but -inf"
        )
