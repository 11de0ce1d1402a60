"""What the scale of the scores does to softmax and to the gradient through it (lesson 21)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.dot_products import require_widths
from course_lib.mechanisms.attention import scaled_dot_product_attention
from course_lib.mechanisms.softmax import softmax

N_KEYS = 64
WIDEST = 1024  # the widest vectors that `scaled_scores` draws


@dataclass(frozen=True)
class ScaledScores:
    """One draw of queries and keys, and what attention makes of it at one scale."""

    d_k: int
    exponent: float
    scores: Float[Tensor, "query key"]
    probs: Float[Tensor, "query key"]
    gradients: Float[Tensor, " query"]


def jacobian_norm(probs: Float[Tensor, "*batch key"]) -> Float[Tensor, "*batch"]:
    r"""Return the size (Frobenius norm) of softmax's Jacobian J = diag(p) - p p^T, row by row.

    .. math:: \|J\|^2 = \sum_i p_i^2 - 2 \sum_i p_i^3 + \Big(\sum_i p_i^2\Big)^2

    It is 0 when one key has everything: a small step of the scores then leaves the shares alone.
    For a gradient of random direction it is the size that gets through, in the root mean square.
    """
    p = probs.double()  # near one-hot rows the three terms cancel to the last digits
    squares = p.square().sum(dim=-1)
    return (squares - 2 * p.pow(3).sum(dim=-1) + squares.square()).clamp(min=0).sqrt()


def scaled_scores(d_k: int, exponent: float, n_queries: int = 64, seed: int = 0) -> ScaledScores:
    """Score random queries against ``N_KEYS`` random keys, dividing by d_k ** exponent.

    The same seed draws the same first entries for every width, so that a slider over d_k adds
    entries to the vectors that are there.

    Raises:
        TypeError, ValueError: if ``d_k`` is no whole number from 1 to ``WIDEST``, or ``exponent``
            no finite number.
    """
    require_whole(1, d_k=d_k, n_queries=n_queries)
    require_number(exponent=exponent)
    if d_k > WIDEST:
        raise ValueError(f"d_k must be at most {WIDEST}, got {d_k}")
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(WIDEST, n_queries, generator=generator)[:d_k].T
    k = torch.randn(WIDEST, N_KEYS, generator=generator)[:d_k].T
    out = scaled_dot_product_attention(q, k, k, scale=d_k**-exponent)
    return ScaledScores(d_k, exponent, out.scores, out.probs, jacobian_norm(out.probs))


def gradient_quantiles(
    widths: Sequence[int],
    exponent: float,
    n_rows: int = 2000,
    seed: int = 0,
    n_keys: int = N_KEYS,
) -> dict[str, Float[Tensor, " width"]]:
    """Measure the size of softmax's Jacobian over many rows of scores, for each width.

    Every 50 rows share a set of keys, as the queries of one text do.

    Returns:
        ``low``, ``median`` and ``high`` (10%, 50% and 90% of the rows lie below), and ``mean``.
    """
    require_widths(widths)
    require_whole(1, n_rows=n_rows, n_keys=n_keys)
    require_number(exponent=exponent)
    generator = torch.Generator().manual_seed(seed)
    n_texts = max(1, n_rows // 50)
    rows = []
    for d_k in widths:
        q = torch.randn(n_texts, 50, d_k, generator=generator)
        k = torch.randn(n_texts, d_k, n_keys, generator=generator)
        rows.append(jacobian_norm(softmax(q @ k * d_k**-exponent)).flatten())
    norms = torch.stack(rows)  # [width, row]
    low, median, high = norms.quantile(torch.tensor([0.1, 0.5, 0.9], dtype=norms.dtype), dim=-1)
    return {"low": low, "median": median, "high": high, "mean": norms.mean(dim=-1)}


def query_gradients(
    d_k: int, exponent: float, n_rows: int = 500, seed: int = 0
) -> Float[Tensor, " row"]:
    """Measure how far the probabilities move with the query: the size of dp/dq = J K * scale."""
    require_whole(1, d_k=d_k, n_rows=n_rows)
    require_number(exponent=exponent)
    generator = torch.Generator().manual_seed(seed)
    scale = d_k**-exponent
    sizes = []
    for _ in range(n_rows):
        q = torch.randn(1, d_k, generator=generator)
        k = torch.randn(N_KEYS, d_k, generator=generator)
        p = softmax(scale * q @ k.T)[0].double()
        jacobian = p.diag() - torch.outer(p, p)
        sizes.append((jacobian @ k.double() * scale).norm())
    return torch.stack(sizes)


def score_rank(n_positions: int, d_k: int, seed: int = 0) -> int:
    """Measure the rank of the score matrix Q K^T of random queries and keys."""
    require_whole(1, n_positions=n_positions, d_k=d_k)
    generator = torch.Generator().manual_seed(seed)
    q, k = (
        torch.randn(n_positions, d_k, generator=generator, dtype=torch.float64) for _ in range(2)
    )
    return int(torch.linalg.matrix_rank(q @ k.T))
