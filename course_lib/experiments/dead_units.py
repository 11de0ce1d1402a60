"""Units that no longer learn: how many, at which inputs, and whether they come back (lesson 32)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.config import require_number, require_whole
from course_lib.experiments.gelu_forms import slope
from course_lib.mechanisms.activations import gelu, silu

FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "ReLU": torch.relu, "GELU": gelu, "SiLU": silu,
}  # fmt: skip
N_UNITS, N_POSITIONS, WIDTH = 512, 64, 64
FLAT = 0.01  # a slope smaller than this in size counts as none
SHOWN = 6.0  # curves are worked out from -SHOWN to SHOWN


@dataclass(frozen=True)
class Bend:
    """One activation at one spread and shift of its inputs."""

    name: str
    spread: float
    shift: float
    x: Float[Tensor, " point"]
    y: Float[Tensor, " point"]
    slope: Float[Tensor, " point"]
    dead: dict[str, float]
    straight: dict[str, float]


@dataclass(frozen=True)
class Revival:
    """The shares of dead units before and after training, and the mean squared error at the end."""

    before: float
    after: float
    loss: float


@cache
def _standard_inputs() -> Float[Tensor, "position unit"]:
    """What 512 random units read from 64 positions of a normalised stream: spread 1, shift 0."""
    generator = torch.Generator().manual_seed(32)
    x = torch.randn(N_POSITIONS, WIDTH, generator=generator, dtype=torch.float64)
    x = torch.nn.functional.layer_norm(x, (WIDTH,))
    weights = torch.randn(WIDTH, N_UNITS, generator=generator, dtype=torch.float64)
    return x @ (weights / weights.norm(dim=0))


def unit_inputs(spread: float, shift: float) -> Float[Tensor, "position unit"]:
    """Return what each unit reads at each position: spread * z + shift, z of variance about 1."""
    require_number(spread=spread, shift=shift)
    if spread <= 0:
        raise ValueError(f"spread must be > 0, got {spread}")
    return spread * _standard_inputs() + shift


def dead_share(name: str, spread: float, shift: float, flat: float = FLAT) -> float:
    """Return the share of units whose slope is below ``flat`` in size at every position.

    Such a unit passes next to no gradient from this text to its weights.
    """
    slopes = slope(_function(name), unit_inputs(spread, shift))
    return (slopes.abs() < flat).all(dim=0).double().mean().item()


def half_dead(name: str, spread: float) -> float:
    """Return the mean of the inputs at which half of the units are dead, to a thousandth."""
    lo, hi = -10.0 - 10 * spread, 0.0  # all dead, all alive
    while hi - lo > 1e-3:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if dead_share(name, spread, middle) >= 0.5 else (lo, middle)
    return (lo + hi) / 2


def straight_share(name: str, spread: float, shift: float = 0.0) -> float:
    """Return how much of the output's variance the best straight line of the input explains.

    At 1 nothing is bent: the two matrices around the function could be one.
    """
    x = unit_inputs(spread, shift).flatten()
    return torch.corrcoef(torch.stack([x, _function(name)(x)]))[0, 1].square().item()


def bend(name: str, spread: float, shift: float) -> Bend:
    """Work out a curve, its slope and what units with these inputs make of it."""
    x = torch.linspace(-SHOWN, SHOWN, 481, dtype=torch.float64)
    function = _function(name)
    dead = {other: dead_share(other, spread, shift) for other in FUNCTIONS}
    straight = {}
    for other in FUNCTIONS:
        # Without any output that varies there is nothing to explain.
        share = straight_share(other, spread, shift)
        straight[other] = share if share == share else 1.0
    return Bend(name, spread, shift, x, function(x), slope(function, x), dead, straight)


def train_shifted(
    name: str, optimiser: str, shift: float, n_steps: int = 200, seed: int = 0, lr: float = 0.01,
    eps: float = 1e-8,
) -> Revival:  # fmt: skip
    """Train 64 units whose inputs start shifted, and count the dead ones before and after.

    The task is a sum of 8 bent features of 16 numbers, 256 examples, all of them in each step.

    Args:
        optimiser: "SGD" or "Adam".
        eps: what Adam adds to the size by which it divides.

    Raises:
        ValueError: the training diverged; a unit of NaNs would be neither dead nor alive.
    """
    if optimiser not in ("SGD", "Adam"):
        raise ValueError(f'optimiser must be "SGD" or "Adam", got {optimiser!r}')
    require_whole(1, n_steps=n_steps)
    function = _function(name)
    torch.manual_seed(seed)
    x = torch.randn(256, 16)
    target = torch.tanh(x @ torch.randn(16, 8) / 4).sum(dim=1, keepdim=True)
    widen, narrow = torch.nn.Linear(16, 64), torch.nn.Linear(64, 1)
    with torch.no_grad():
        widen.weight.normal_(std=16**-0.5)
        widen.bias.fill_(shift)
    weights = [*widen.parameters(), *narrow.parameters()]
    if optimiser == "Adam":
        step = torch.optim.Adam(weights, lr, eps=eps, fused=True)
    else:
        step = torch.optim.SGD(weights, lr)

    def error() -> Tensor:
        return (narrow(function(widen(x))) - target).square().mean()

    def dead() -> float:
        return (slope(function, widen(x)).abs() < FLAT).all(dim=0).double().mean().item()

    before = dead()
    for _ in range(n_steps):
        step.zero_grad()
        error().backward()
        step.step()
    loss = error().item()
    if not math.isfinite(loss):
        raise ValueError(f"lr must be smaller: with lr={lr} the loss is {loss} after training")
    return Revival(before, dead(), loss)


def _function(name: str) -> Callable[[Tensor], Tensor]:
    if name not in FUNCTIONS:
        raise ValueError(f"name must be one of {tuple(FUNCTIONS)}, got {name!r}")
    return FUNCTIONS[name]
