"""Losses: how wrong a prediction was, in nats."""

from jaxtyping import Float, Int
from torch import Tensor

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
        ValueError: if no position is scored (an average over nothing), or a target lies
            outside the vocabulary.

    Units:
        nats per scored position; divide by ln 2 for bits.
    """
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
    log_probs = log_softmax(logits)
    return -log_probs.gather(-1, targets.unsqueeze(-1)).mean()
