"""Training in half precision: gradients are lifted out of the underflow, weights kept in fp32."""

import math
from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.config import require_number, require_whole


class LossScaler:
    """Multiply the loss, so that small gradients survive half precision; divide them again later.

    The factor is not known beforehand.  So it is tried: as long as all gradients are finite it
    doubles from time to time; when one is not, the update is skipped and the factor is halved.

    Args:
        scale: the factor at the start.
        growth: what it is multiplied by after ``interval`` finite updates in a row.
        backoff: what it is multiplied by after gradients that were not finite.
        interval: see ``growth``.

    Attributes:
        n_skipped: updates that were not finite.

    Agrees with: ``torch.amp.GradScaler("cpu")``.

    Source:
        Micikevicius et al. 2018, section 3.2, for the factor.  Changing it by itself is custom;
        the numbers are torch's.
    """

    def __init__(
        self,
        scale: float = 2.0**16,
        *,
        growth: float = 2.0,
        backoff: float = 0.5,
        interval: int = 2000,
    ):
        require_number(scale=scale, growth=growth, backoff=backoff)
        require_whole(1, interval=interval)
        if scale <= 0:
            raise ValueError(f"scale must be > 0, got {scale}")
        if growth <= 1:
            raise ValueError(f"growth must be > 1, got {growth}")
        if not 0 < backoff < 1:
            raise ValueError(f"backoff must lie in (0, 1), got {backoff}")
        self.scale, self.growth, self.backoff, self.interval = scale, growth, backoff, interval
        self.n_skipped = 0
        self._finite_in_a_row = 0

    def up(self, loss: Float[Tensor, ""]) -> Float[Tensor, ""]:
        """Return the loss to call ``backward`` on."""
        return loss * self.scale

    @torch.no_grad()
    def down(self, parameters: Iterable[Tensor]) -> bool:
        """Divide all gradients by the factor, in place; return whether all of them are finite.

        Before clipping: a threshold is meant for gradients of the true size.

        Raises:
            TypeError: if a gradient is in half precision.  Dividing there would lose again what
                the factor has saved.
        """
        gradients = [p.grad for p in parameters if p.grad is not None]
        for gradient in gradients:
            if gradient.dtype in (torch.float16, torch.bfloat16):
                raise TypeError(
                    f"gradients must be fp32 to be scaled down, got {gradient.dtype}: "
                    "keep master weights"
                )
        finite = True
        for gradient in gradients:
            gradient.div_(self.scale)
            finite = finite and bool(gradient.isfinite().all())
        return finite

    def update(self, finite: bool) -> None:
        """Change the factor after an update that was made (finite) or had to be skipped."""
        if not finite:
            self.n_skipped += 1
            self._finite_in_a_row = 0
            self.scale *= self.backoff
            return
        self._finite_in_a_row += 1
        if self._finite_in_a_row == self.interval:
            self._finite_in_a_row = 0
            if math.isfinite(self.scale * self.growth):
                self.scale *= self.growth

    def state_dict(self) -> dict[str, float | int]:
        """What a resumed run needs."""
        return {
            "scale": self.scale,
            "n_skipped": self.n_skipped,
            "finite_in_a_row": self._finite_in_a_row,
        }

    def load_state_dict(self, state: dict[str, float | int]) -> None:
        """Go on from ``state_dict()``; nothing changes when the state does not fit."""
        if set(state) != set(self.state_dict()):
            raise ValueError(
                f"state must have the names {sorted(self.state_dict())}, got {sorted(state)}"
            )
        require_number(scale=state["scale"])
        if state["scale"] <= 0:
            raise ValueError(f"scale must be > 0, got {state['scale']}")
        require_whole(0, n_skipped=state["n_skipped"], finite_in_a_row=state["finite_in_a_row"])
        self.scale, self.n_skipped = state["scale"], state["n_skipped"]
        self._finite_in_a_row = state["finite_in_a_row"]


class MasterWeights:
    """An fp32 copy of a half-precision model's weights, which the optimiser works on.

    An update is often less than half the gap to a weight's next half-precision neighbour.  Added
    there it is rounded away; in the copy it adds up.

    Args:
        parameters: the model's, in any precision.  Those that need no gradient are left out.

    Attributes:
        masters: give these to the optimiser.

    Source:
        Micikevicius et al. 2018, section 3.1.
    """

    def __init__(self, parameters: Iterable[nn.Parameter]):
        self._models = [p for p in parameters if p.requires_grad]
        if not self._models:
            raise ValueError("parameters must hold at least one that is trained, got none")
        self.masters = [nn.Parameter(p.detach().float().clone()) for p in self._models]

    @torch.no_grad()
    def take_gradients(self) -> None:
        """Copy the model's gradients to the masters, and forget them at the model."""
        for model, master in zip(self._models, self.masters, strict=True):
            master.grad = None if model.grad is None else model.grad.float()
            model.grad = None

    @torch.no_grad()
    def hand_back(self) -> None:
        """Round the masters into the model."""
        for model, master in zip(self._models, self.masters, strict=True):
            model.copy_(master)
