"""What scores know of the distance between two positions (lesson 24)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.mechanisms.positions import position_angles, sinusoidal_positions
from course_lib.mechanisms.rotary import Rotary


@dataclass(frozen=True)
class Similarity:
    """Scores of position vectors with each other, raw and through random weight matrices."""

    raw: Float[Tensor, "query key"]
    mixed: Float[Tensor, "query key"]


def position_scores(n_positions: int = 64, d_model: int = 64, seed: int = 0) -> Similarity:
    """Compare PE . PE with what attention computes from it, (PE W_q) . (PE W_k)."""
    require_whole(1, n_positions=n_positions)
    generator = torch.Generator().manual_seed(seed)
    pe = sinusoidal_positions(n_positions, d_model, dtype=torch.float64)
    w_q, w_k = (
        torch.randn(d_model, d_model, generator=generator, dtype=torch.float64) / d_model**0.5
        for _ in range(2)
    )
    return Similarity(pe @ pe.T, (pe @ w_q) @ (pe @ w_k).T)


def diagonal_spread(scores: Float[Tensor, "query key"]) -> Float[Tensor, " diagonal"]:
    """Measure the standard deviation along each diagonal: 0 where only the distance counts.

    Diagonals with fewer than 8 entries are left out.
    """
    n = len(scores)
    return torch.stack([scores.diagonal(k).std(correction=0) for k in range(8 - n, n - 7)])


def share_within_diagonals(scores: Float[Tensor, "query key"]) -> float:
    """Return the part of all scores' variance that the distance leaves open, from 0 to 1."""
    n = len(scores)
    diagonals = [scores.diagonal(k) for k in range(1 - n, n)]
    within = sum((d - d.mean()).square().sum() for d in diagonals)
    return (within / (scores - scores.mean()).square().sum()).item()


def unexplained_by_a_matrix(vectors: Float[Tensor, "position width"], offset: int) -> float:
    """Fit the best matrix M from each row to the one ``offset`` further; return what it misses.

    Returns:
        The part of the later rows' squares that is left, from 0 (all explained) to 1.
    """
    require_whole(1, offset=offset)
    now, later = vectors[:-offset].double(), vectors[offset:].double()
    fit = torch.linalg.lstsq(now, later, driver="gelsd").solution  # slow pairs: nearly one column
    return ((now @ fit - later).square().sum() / later.square().sum()).item()


def rotary_scores(
    d_head: int, distance: int, starts: Float[Tensor, " start"] | list[int], *,
    pairing: str = "adjacent", seed: int = 0, turn_key: bool = True,
) -> Float[Tensor, " start"]:  # fmt: skip
    """Score one random query against one random key, ``distance`` apart, at several places.

    Args:
        d_head: width of both.
        distance: how much later the query stands than the key.
        starts: positions of the key.
        pairing: see Rotary.
        seed: for query and key.
        turn_key: False leaves the key as it is, as a broken variant.
    """
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 1, d_head, generator=generator, dtype=torch.float64)
    starts, turn = torch.as_tensor(starts), Rotary(pairing=pairing)
    q = turn(q.expand(len(starts), -1), starts + distance)
    k = turn(k.expand(len(starts), -1), starts) if turn_key else k
    return (q * k).sum(dim=-1)


def unfinished_turns(d_head: int, length: int, base: float = 10_000.0) -> int:
    """Count the pairs whose wavelength is longer than ``length``: 2 pi base^(2i/d) > length."""
    require_whole(1, d_head=d_head, length=length)
    # One position further turns pair i by theta_i; a whole turn is 2 pi.
    theta = position_angles(torch.tensor([1]), d_head, base).squeeze(0)
    return int((2 * math.pi / theta > length).sum())


def angle_error(position: int, d_head: int, dtype: torch.dtype, base: float = 10_000.0) -> float:
    """Measure how far off the worst angle is when it is worked out in ``dtype``.

    Units:
        radians, once around the circle is 2 pi.
    """
    require_whole(0, position=position)
    require_number(base=base)
    exact = position_angles(torch.tensor([position]), d_head, base).squeeze(0)
    pairs = torch.arange(0, d_head, 2).to(dtype) / d_head
    rough = (torch.tensor(position).to(dtype) * torch.tensor(base).to(dtype) ** -pairs).double()
    return (rough - exact).abs().max().item()
