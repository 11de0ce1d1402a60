"""How long Adam's steps are when every gradient is the same."""

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.optim.adam import adam_update

_LONG_AGO = 1e6  # with so many updates behind, both corrections are 1 to the last bit


def step_sizes(
    n_steps: int, *, grad: float = 1.0, corrected: bool = True,
    betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
) -> Float[Tensor, " step"]:  # fmt: skip
    """Feed the library's update one gradient again and again.

    Args:
        n_steps: updates.
        grad: the gradient.
        corrected: if not, the update believes that it has long been going on, with averages of 0.
        betas: of the averages.
        eps: added to the root.

    Units:
        learning rates.
    """
    weight = torch.zeros(1, dtype=torch.float64)
    memory = {
        "step": torch.tensor(0.0 if corrected else _LONG_AGO),
        "exp_avg": torch.zeros_like(weight),
        "exp_avg_sq": torch.zeros_like(weight),
    }
    places = [weight.clone()]
    for _ in range(n_steps):
        adam_update(weight, torch.full_like(weight, grad), memory, 1.0, betas, eps)
        places.append(weight.clone())
    return torch.cat(places).diff().abs()
