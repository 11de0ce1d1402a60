"""How far dot products spread: Var(q.k), what it needs, and what breaks it (lesson 21)."""

import itertools
import math
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole

Draw = Callable[[tuple[int, ...], torch.Generator], Tensor]


def _gaussian(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator)


def _uniform(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Uniform on (-sqrt 3, sqrt 3), which has variance 1."""
    return (2 * torch.rand(shape, generator=generator) - 1) * math.sqrt(3)


def _coin(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """+1 or -1, each with probability a half."""
    return 2.0 * torch.randint(2, shape, generator=generator) - 1


# Three ways to draw independent entries with mean 0 and variance 1.
ENTRIES: dict[str, Draw] = {"gaussian": _gaussian, "uniform": _uniform, "coin flips": _coin}


def coin_flip_products(d_k: int) -> Float[Tensor, " outcome"]:
    """List q.k for every pair of vectors of +1 and -1: each is equally likely, none is left out.

    Cost:
        4^d_k pairs, so d_k up to about 6.
    """
    require_whole(1, d_k=d_k)
    vectors = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=d_k)))
    return (vectors @ vectors.T).flatten()


def dot_product_variances(
    widths: Sequence[int], entries: str = "gaussian", n_pairs: int = 20_000, seed: int = 0
) -> Float[Tensor, " width"]:
    """Measure Var(q.k) over independent pairs, once for each width.

    Args:
        widths: values of d_k.
        entries: how each entry is drawn, a key of ``ENTRIES``.
        n_pairs: pairs a width; the relative standard error is about sqrt(2 / n_pairs).
        seed: of the generator.
    """
    require_widths(widths)
    require_whole(2, n_pairs=n_pairs)
    if not isinstance(entries, str) or entries not in ENTRIES:
        raise ValueError(f"entries must be one of {sorted(ENTRIES)}, got {entries!r}")
    generator = torch.Generator().manual_seed(seed)
    draw = ENTRIES[entries]
    variances = []
    for d_k in widths:
        q, k = draw((n_pairs, d_k), generator), draw((n_pairs, d_k), generator)
        variances.append((q * k).sum(dim=-1).var())
    return torch.stack(variances)


def product_variance(mean: float, std: float, n_pairs: int = 2_000_000, seed: int = 0) -> float:
    """Measure the variance of one product of two independent draws from N(mean, std^2)."""
    require_whole(2, n_pairs=n_pairs)
    require_number(mean=mean, std=std)
    if std < 0:
        raise ValueError(f"std must be >= 0, got {std}")
    generator = torch.Generator().manual_seed(seed)
    a, b = (mean + std * torch.randn(n_pairs, generator=generator) for _ in range(2))
    return (a * b).var().item()


def correlated_variance(d_k: int, rho: float, n_pairs: int = 40_000, seed: int = 0) -> float:
    """Measure Var(q.k) when every two entries of a vector have correlation ``rho``.

    Each vector shares one draw among all its entries; q and k stay independent of each other.
    """
    require_whole(1, d_k=d_k)
    require_whole(2, n_pairs=n_pairs)
    require_number(rho=rho)
    if not 0 <= rho <= 1:
        raise ValueError(f"rho must lie in [0, 1], got {rho}")
    generator = torch.Generator().manual_seed(seed)

    def vectors() -> Tensor:
        shared = torch.randn(n_pairs, 1, generator=generator)
        own = torch.randn(n_pairs, d_k, generator=generator)
        return math.sqrt(rho) * shared + math.sqrt(1 - rho) * own

    return (vectors() * vectors()).sum(dim=-1).var().item()


def matching_products(d_k: int, n_pairs: int = 40_000, seed: int = 0) -> Float[Tensor, " pair"]:
    """Draw q.q, the score of a query that is its own key."""
    require_whole(1, d_k=d_k, n_pairs=n_pairs)
    q = torch.randn(n_pairs, d_k, generator=torch.Generator().manual_seed(seed))
    return q.square().sum(dim=-1)


def require_widths(widths: object) -> None:
    """Raise an error unless there is at least one width, each a whole number >= 1."""
    if not isinstance(widths, Sequence) or isinstance(widths, str) or not widths:
        raise ValueError(f"widths must be a list of at least one width, got {widths!r}")
    require_whole(1, **{f"widths[{i}]": d_k for i, d_k in enumerate(widths)})
