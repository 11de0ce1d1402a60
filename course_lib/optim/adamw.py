"""AdamW: the update rule that trains nearly every transformer."""

from collections.abc import Iterable
from typing import Any

from torch import Tensor

from course_lib.optim.adam import AdamFamily, adam_update


class AdamW(AdamFamily):
    r"""Adam with the weight decay taken out of the gradient: all weights shrink by one factor.

    .. math:: \theta \leftarrow (1 - \eta\lambda)\,\theta, \quad \text{then Adam's update}

    Args:
        params: tensors, (name, tensor) pairs, or groups with settings of their own.
        lr: learning rate; may be changed in ``param_groups`` between two updates.
        betas: how much of the average gradient and of the average square an update keeps.
        eps: keeps the division finite; it stands outside the root.
        weight_decay: lambda, in units of the learning rate.

    Source:
        Loshchilov and Hutter 2019, algorithm 2, line 12, in torch's parametrisation: see
        :func:`from_paper`.  Equal to ``torch.optim.AdamW`` to the last bit.
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2,
    ):  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay)

    def update(self, weights: Tensor, grad: Tensor, memory: dict, group: dict[str, Any]) -> None:
        """Shrink the weights, then make Adam's update."""
        weights.mul_(1 - group["lr"] * group["weight_decay"])
        adam_update(weights, grad, memory, group["lr"], group["betas"], group["eps"])


def from_paper(alpha: float, decay: float, schedule: float = 1.0) -> dict[str, float]:
    r"""Turn the paper's numbers into the arguments ``lr`` and ``weight_decay``.

    The paper's update is :math:`\theta \leftarrow \theta - \eta_t (\alpha\,\hat m / (\sqrt{\hat v}
    + \epsilon) + \lambda\theta)`.  Its decay is not multiplied by alpha, torch's is.  So lr is
    :math:`\eta_t\alpha`, and weight_decay is :math:`\lambda/\alpha`.

    Args:
        alpha: the paper's step size, > 0.
        decay: the paper's lambda.
        schedule: the paper's eta_t, a factor that changes during a run.
    """
    if not alpha > 0:
        raise ValueError(f"alpha must be > 0, got {alpha}")
    return {"lr": schedule * alpha, "weight_decay": decay / alpha}
