"""Running the mechanisms whose derivative is written out by hand."""

import torch
from torch import Tensor


def run(function: type[torch.autograd.Function], *inputs: Tensor | float | int) -> Tensor:
    """Apply a function with its own derivative; where gradients are off, its forward pass alone.

    torch's bookkeeping for a derivative costs as much as the arithmetic on a single token.
    """
    if torch.is_grad_enabled():
        return function.apply(*inputs)
    return function.forward(_Forgetful(), *inputs)


class _Forgetful:
    """Stands where torch would keep what the derivative needs, and keeps nothing."""

    needs_input_grad = (False,) * 4

    @staticmethod
    def save_for_backward(*tensors: Tensor) -> None:
        """Let them go."""
