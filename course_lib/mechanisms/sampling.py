"""Sampling: from the scores of the next token to a token."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.require import require_floats
from course_lib.mechanisms.softmax import softmax


def sample(
    logits: Float[Tensor, "*batch vocab"],
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
    *,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Int[Tensor, "*batch"]:
    """Draw one id a row from :func:`next_probabilities`.

    Args:
        generator: source of randomness, for a draw that can be repeated; temperature 0 draws
            nothing from it.

    Raises:
        TypeError, ValueError: as for :func:`next_probabilities`.
    """
    if temperature == 0:
        _require_fit(logits, temperature, top_k, top_p)
        return _first_largest(logits)
    probs = next_probabilities(logits, temperature, top_k=top_k, top_p=top_p)
    drawn = torch.multinomial(probs.reshape(-1, probs.shape[-1]), 1, generator=generator)
    return drawn.reshape(probs.shape[:-1])


def next_probabilities(
    logits: Float[Tensor, "*batch vocab"],
    temperature: float = 1.0,
    *,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "*batch vocab"]:
    """Return the probabilities from which the next token is drawn.

    The temperature acts first, then ``top_k``, then ``top_p`` on what is left; what both keep
    is divided by its sum.  Among equal scores the one with the lower id ranks first.

    Args:
        logits: scores of the next token; ``-inf`` is never drawn.
        temperature: 0 puts all on the largest score (greedy); 1 leaves the model's own
            probabilities; above 1 they even out.
        top_k: keep so many of the largest; more than there are keeps all.
        top_p: of the largest, keep the fewest that together have at least this probability, and
            never less than one (nucleus sampling).

    Returns:
        One distribution a row, in float32 or better: a sum of thousands of numbers in 16 bits
        would not know whether ``top_p`` is reached.

    Raises:
        TypeError: if an argument is not a number.
        ValueError: if ``temperature`` is negative or not finite, ``top_k`` < 1, ``top_p`` not in
            (0, 1], or nothing can be drawn because a row holds NaN or infinity, or nothing but
            ``-inf``.

    Source:
        top-k: Fan, Lewis and Dauphin 2018, section 5.4; top-p: Holtzman et al. 2020, section 3.1.
    """
    _require_fit(logits, temperature, top_k, top_p)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if temperature == 0:
        return functional.one_hot(_first_largest(logits), logits.shape[-1]).to(logits.dtype)
    probs = softmax(logits, temperature=temperature)
    _require_sound(probs[..., 0], temperature)  # softmax spreads a NaN over its whole row
    if top_k is None and top_p is None:
        return probs
    # By the scores, which still differ where two probabilities have become equal.
    order = logits.argsort(dim=-1, descending=True, stable=True)
    ranked = probs.gather(-1, order)
    if top_k is not None:
        ranked = _shares(ranked, kept=torch.arange(ranked.shape[-1]).to(order) < top_k)
    if top_p is not None:
        ranked = _shares(ranked, kept=_nucleus(ranked, top_p))
    return torch.zeros_like(probs).scatter(-1, order, ranked)


def _first_largest(logits: Tensor) -> Tensor:
    """Return the id of each row's largest score, the lowest of equals."""
    largest, first = logits.max(dim=-1)
    _require_sound(largest, 0)
    return first


def _nucleus(ranked: Tensor, top_p: float) -> Tensor:
    """Mark the fewest of the ranked probabilities that together reach top_p."""
    before = ranked.cumsum(-1) - ranked  # what the larger ones have already
    rounding = 4 * torch.finfo(ranked.dtype).eps  # 0.5 + 0.3 reaches 0.8, whatever the last bit
    kept = before < top_p - rounding
    kept[..., 0] = True
    return kept


def _shares(ranked: Tensor, kept: Tensor) -> Tensor:
    """Set the others to 0 and let the kept ones sum to 1 again."""
    ranked = ranked * kept
    return ranked / ranked.sum(-1, keepdim=True)


def _require_fit(logits: object, temperature: object, top_k: object, top_p: object) -> None:
    """Raise unless there are scores, a temperature, and both cuts leave something of them."""
    require_floats(1, logits=logits)
    require_number(temperature=temperature)
    if temperature < 0:
        raise ValueError(f"temperature must be >= 0, got {temperature}")
    if not logits.shape[-1]:
        raise ValueError(f"logits must hold at least one score, got {tuple(logits.shape)}")
    if top_k is not None:
        require_whole(1, top_k=top_k)
    if top_p is not None:
        require_number(top_p=top_p)
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], got {top_p}")


def _require_sound(one_a_row: Tensor, temperature: float) -> None:
    """Raise if a row has become NaN: there is no next token to be drawn from it."""
    if not one_a_row.isfinite().all():
        raise ValueError(
            f"logits must leave each row something to draw at temperature {temperature}, "
            "got a row with NaN, inf, or nothing but -inf"
        )
