"""How fast entropy rises with the temperature (lesson 51)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.mechanisms.softmax import log_softmax, softmax


@dataclass(frozen=True)
class EntropyCurve:
    """Entropy of softmax(logits / T) and its slope, over temperatures; nats, nats per unit of T."""

    temperatures: Float[Tensor, " temperature"]
    entropy: Float[Tensor, " temperature"]
    slope: Float[Tensor, " temperature"]
    n_words: int


def entropy(logits: Float[Tensor, " word"], temperature: float) -> float:
    """Return the entropy of softmax(logits / temperature), in nats."""
    log_probs = log_softmax(logits, temperature=temperature)
    # 0 log 0 counts as 0: a word that is never drawn surprises nobody.
    return -(log_probs.exp() * log_probs).nan_to_num(0.0).sum().item()


def entropy_slope(logits: Float[Tensor, " word"], temperature: float) -> float:
    r"""Return dH/dT = Var(z) / T^3, the variance of the scores under their own probabilities."""
    probs = softmax(logits, temperature=temperature)
    return (score_variance(probs, logits) / temperature**3).item()


def score_variance(probs: Float[Tensor, " word"], logits: Float[Tensor, " word"]) -> Tensor:
    """Return the variance of the scores when words are drawn with these probabilities."""
    mean = (probs * logits).sum()
    return (probs * (logits - mean).square()).sum()


def entropy_slope_by_autograd(logits: Float[Tensor, " word"], temperature: float) -> float:
    """Let torch differentiate the entropy by the temperature: the formula is not used."""
    t = torch.tensor(temperature, dtype=logits.dtype, requires_grad=True)
    log_probs = torch.log_softmax(logits / t, dim=-1)
    (slope,) = torch.autograd.grad(-(log_probs.exp() * log_probs).sum(), t)
    return slope.item()


def entropy_curve(
    logits: Float[Tensor, " word"], lowest: float = 0.003, highest: float = 30.0, n: int = 200
) -> EntropyCurve:
    """Follow entropy and slope over temperatures spaced evenly on a logarithmic axis."""
    logits = logits.double()
    temperatures = torch.logspace(
        torch.tensor(lowest).log10().item(), torch.tensor(highest).log10().item(), n,
        dtype=torch.float64,
    )  # fmt: skip
    values = [(entropy(logits, t), entropy_slope(logits, t)) for t in temperatures.tolist()]
    entropies, slopes = torch.tensor(values, dtype=torch.float64).unbind(-1)
    return EntropyCurve(temperatures, entropies, slopes, len(logits))
