"""Losses of two weights, to look at how an optimiser walks over them."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Surface:
    """A loss of two weights, where a walk over it starts, and where the loss is smallest."""

    name: str
    loss: Callable[[Tensor], Tensor]  # [..., 2] -> [...]
    start: tuple[float, float]
    minimum: tuple[float, float]

    def gradient(self, weights: Tensor) -> Tensor:
        """The slope at one pair of weights."""
        here = weights.detach().clone().requires_grad_()
        (slope,) = torch.autograd.grad(self.loss(here), here)
        return slope


MINIMUM = (2.0, 1.0)


def _bowl(weights: Tensor) -> Tensor:
    """Ten times as curved in the second weight as in the first."""
    x, y = weights.unbind(-1)
    return 0.1 * (x - MINIMUM[0]) ** 2 / 2 + (y - MINIMUM[1]) ** 2 / 2


def _slanted(weights: Tensor) -> Tensor:
    """The same curvatures as the bowl, turned by 45 degrees."""
    x, y = (weights - torch.tensor(MINIMUM, dtype=weights.dtype)).unbind(-1)
    along, across = (x + y) / 2**0.5, (x - y) / 2**0.5
    return 0.1 * along**2 / 2 + across**2 / 2


def _bend(weights: Tensor) -> Tensor:
    """A curved valley, after Rosenbrock: its floor is y = x^2 / 4."""
    x, y = weights.unbind(-1)
    return 0.05 * (x - MINIMUM[0]) ** 2 + (y - x**2 / 4) ** 2 / 2


SURFACES = {
    "bowl": Surface("bowl", _bowl, (-1.0, 2.2), MINIMUM),
    "slanted bowl": Surface("slanted bowl", _slanted, (-1.0, 2.2), MINIMUM),
    "bend": Surface("bend", _bend, (-1.5, 2.2), MINIMUM),
}
GRID_X, GRID_Y = (-2.0, 3.2), (-1.0, 2.6)  # what a map of a surface shows


def heights(surface: Surface, n: int = 60) -> tuple[Tensor, Tensor, Tensor]:
    """The loss over the map: x [n], y [n], loss [n n] (row y, column x)."""
    x, y = (torch.linspace(*ends, n, dtype=torch.float64) for ends in (GRID_X, GRID_Y))
    grid = torch.stack(torch.meshgrid(x, y, indexing="xy"), dim=-1)
    return x, y, surface.loss(grid)
