"""Adam: each weight steps by its average gradient over the root of its average square."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


def adam_update(
    weights: Tensor,
    grad: Tensor,
    memory: dict[str, Tensor],
    lr: float,
    betas: tuple[float, float],
    eps: float,
) -> None:
    r"""Make one update of one tensor in place, without any weight decay.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad
        v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        \theta \leftarrow \theta - \eta\,
            \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

    Args:
        weights: the tensor that is trained.
        grad: g, of the same shape.
        memory: "step" (t), "exp_avg" (m) and "exp_avg_sq" (v), brought up to date here.
        lr: the learning rate.
        betas: how much of m and of v is kept.
        eps: added outside the root.

    Source:
        Kingma and Ba 2015, algorithm 1.  The order of operations is that of
        ``torch.optim.Adam``, so that both agree to the last bit.
    """
    beta1, beta2 = betas
    memory["step"] += 1
    t = memory["step"].item()
    m = memory["exp_avg"].lerp_(grad, 1 - beta1)
    v = memory["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    root = v.sqrt().div_(math.sqrt(1 - beta2**t)).add_(eps)
    weights.addcdiv_(m, root, value=-lr / (1 - beta1**t))


class AdamFamily(torch.optim.Optimizer):
    """What AdamW and Adam with L2 have in common: all but the place of the weight decay.

    State names and groups are those of ``torch.optim.Adam`` and ``AdamW``: a state dict can be
    loaded from there and back.

    Args:
        params: tensors, (name, tensor) pairs, or groups with settings of their own.
        lr: learning rate; may be changed in ``param_groups`` between two updates.
        betas: how much of the average gradient and of the average square an update keeps.
        eps: keeps the division finite.
        weight_decay: pull towards 0; what it means is up to the subclass.

    Raises:
        ValueError: if a setting is out of range, in the arguments or in a group.
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0.0,
    ):  # fmt: skip
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def update(self, weights: Tensor, grad: Tensor, memory: dict, group: dict[str, Any]) -> None:
        """Update one tensor; a subclass says how."""
        raise NotImplementedError

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every weight that has a gradient; those without one keep all they have.

        Args:
            closure: computes the gradients anew and returns the loss.

        Returns:
            What ``closure`` returned; None without one.

        Raises:
            ValueError: if a gradient is sparse; nothing has changed then.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        _require_dense(self.param_groups)
        for group in self.param_groups:
            self._step_group(group)
        return loss

    def _step_group(self, group: dict[str, Any]) -> None:
        """Update the tensors of a group, one after the other."""
        for weights in group["params"]:
            if weights.grad is not None:
                self.update(weights, weights.grad, self._memory(weights), group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Check a group's settings, then take it up."""
        settings = {name: param_group.get(name, self.defaults[name]) for name in self.defaults}
        _require_settings(**settings)
        super().add_param_group(param_group)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up a state from here or from torch.

        Raises:
            ValueError: if it was made with an option that is not here.
        """
        for group in state_dict["param_groups"]:
            if odd := [name for name in ("amsgrad", "maximize") if group.get(name)]:
                raise ValueError(f"state_dict must be made without {odd[0]}, got {odd[0]}=True")
        super().load_state_dict(state_dict)

    def _memory(self, weights: Tensor) -> dict[str, Tensor]:
        """What is remembered of one tensor; all zeros before its first update."""
        memory = self.state[weights]
        if not memory:
            memory["step"] = torch.tensor(0.0)
            memory["exp_avg"] = torch.zeros_like(weights)
            memory["exp_avg_sq"] = torch.zeros_like(weights)
        return memory


def _require_dense(groups: list[dict[str, Any]]) -> None:
    """Raise if any gradient is sparse, before anything is changed."""
    for group in groups:
        for weights in group["params"]:
            if weights.grad is not None and weights.grad.layout != torch.strided:
                raise ValueError(
                    f"gradients must be dense, got one of shape {tuple(weights.grad.shape)} "
                    f"and layout {weights.grad.layout}"
                )


def _require_settings(
    lr: float, betas: tuple[float, float], eps: float, weight_decay: float
) -> None:
    """Raise a ValueError that names the first setting out of range (NaN fits nowhere)."""
    for name, value in {"lr": lr, "eps": eps, "weight_decay": weight_decay}.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be a finite number >= 0, got {value}")
    if len(betas) != 2:
        raise ValueError(f"betas must be two numbers, got {betas}")
    for i, beta in enumerate(betas):
        if not 0 <= beta < 1:
            raise ValueError(f"betas[{i}] must lie in [0, 1), got {beta}")
