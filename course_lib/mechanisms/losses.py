"""Losses: how wrong a prediction was, in nats."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.mechanisms.require import require_floats, require_tensor
from course_lib.mechanisms.softmax import log_softmax

IGNORE = -100  # the value that torch and the published code also use for "not scored"


def cross_entropy(
    logits: Float[Tensor, "*batch vocab"],
    targets: Int[Tensor, "*batch"],
    ignore_index: int = IGNORE,
) -> Float[Tensor, ""]:
    r"""Average the surprise at the right answers: minus the logarithm of their probability.

    .. math:: -\frac{1}{n} \sum_i \log p_i(\text{target}_i)

    Args:
        logits: one score for each entry of the vocabulary.
        targets: the right ids; positions that hold ``ignore_index`` are not scored.

    Raises:
        TypeError: if the targets are not whole numbers.
        ValueError: if there is not one target a position, no position is scored (an average
            over nothing), or a target lies outside the vocabulary.

    Units:
        nats per scored position, in float32 at least; divide by ln 2 for bits.
    """
    _require_one_target_a_position(logits, targets)
    scored = targets != ignore_index
    if not scored.all():
        logits, targets = logits[scored], targets[scored]
    if targets.numel() == 0:
        raise ValueError("targets must hold at least one scored position, got none")
    smallest, largest = (int(bound) for bound in targets.aminmax())
    if smallest < 0 or largest >= logits.shape[-1]:
        wrong = smallest if smallest < 0 else largest
        raise ValueError(
            f"targets must lie in [0, vocab={logits.shape[-1]}) or be {ignore_index}, got {wrong}"
        )
    # Sixteen bits hold a loss of 4 to within 1/64 only, and average no better.
    precise = torch.promote_types(logits.dtype, torch.float32)
    log_probs = log_softmax(logits.to(precise))
    return -log_probs.gather(-1, targets.unsqueeze(-1)).mean()


def _require_one_target_a_position(logits: object, targets: object) -> None:
    """Raise unless the shapes belong together: gather() would silently read a part of more."""
    require_floats(1, logits=logits)
    require_tensor(targets=targets)
    if targets.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"targets must hold whole numbers (int64), got {targets.dtype}")
    if targets.shape != logits.shape[:-1]:
        raise ValueError(
            f"targets must hold one id for each position, shape {tuple(logits.shape[:-1])}, "
            f"got shape {tuple(targets.shape)}"
        )
