"""Adam with L2: the penalty goes into the gradient, and so through the division."""

from typing import Any

from torch import Tensor

from course_lib.optim.adam import AdamFamily, adam_update


class AdamL2(AdamFamily):
    r"""Adam on a loss with the penalty :math:`\frac{\lambda}{2} \lVert\theta\rVert^2`.

    Here for contrast: what Adam divides its steps by divides the pull of the penalty as well.

    Args:
        weight_decay: lambda, added as lambda times the weights to their gradient.

    Source:
        Loshchilov and Hutter 2019, algorithm 2 without the green.  Equal to
        ``torch.optim.Adam(weight_decay=...)`` to the last bit.
    """

    def update(self, weights: Tensor, grad: Tensor, memory: dict, group: dict[str, Any]) -> None:
        """Add the penalty's gradient, then make Adam's update."""
        penalised = grad.add(weights, alpha=group["weight_decay"])
        adam_update(weights, penalised, memory, group["lr"], group["betas"], group["eps"])
