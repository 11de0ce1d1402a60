"""Where a run computes and in how many bits, and the proof that it is the same computation."""

import copy
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from course_lib.data.randomness import generator_for
from course_lib.training.objectives import device_of
from course_lib.training.tasks import Around, Task

DEVICES = ("cpu", "cuda", "mps")
_LOSS = 1e-3  # relative; float32 on another chip sums in another order, which moves far less
_GRADIENT = 0.02  # of each parameter's gradient; a wrong kernel is off by tens of per cent
_NOISE = 1e-5  # of all gradients together: below it, a gradient that should be 0 is rounding


def choose_device(asked: str | None = None) -> torch.device:
    """Return the device that was asked for; left out, a CUDA card if there is one, else the CPU.

    MPS (the chip of a Mac) is used only when asked for: its kernels have been wrong before.

    Raises:
        ValueError: if this machine, or this build of torch, does not have it.
    """
    has = {"cpu": True, "cuda": torch.cuda.is_available(),
           "mps": torch.backends.mps.is_available()}  # fmt: skip
    if asked is None:
        return torch.device("cuda" if has["cuda"] else "cpu")
    if asked not in has:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {asked!r}")
    if not has[asked]:
        there = ", ".join(name for name in DEVICES if has[name])
        raise ValueError(f"device must be one that this machine and its torch have ({there}), "
                         f"got {asked!r}")  # fmt: skip
    return torch.device(asked)


def bf16_helps(device: torch.device) -> bool:
    """Whether 16 bits are used without being asked for: on cards that multiply them faster."""
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


class InBFloat16(Around):
    """A task whose matrix products are computed in bfloat16; weights and losses stay in float32.

    bfloat16 has float32's range with 8 bits of precision, so no loss has to be scaled up.
    """

    def losses(self, model: nn.Module, batch: tuple[Tensor, ...]) -> Mapping[str, Tensor]:
        """Grade a batch."""
        with _rounded(model):
            return super().losses(model, batch)

    def measure(
        self, model: nn.Module, batch: tuple[Tensor, ...], batch_size: int
    ) -> Mapping[str, float]:
        """Measure a batch."""
        with _rounded(model):
            return super().measure(model, batch, batch_size)


def _rounded(model: nn.Module) -> torch.autocast:
    """The context in which torch rounds what goes into a matrix product."""
    return torch.autocast(device_of(model).type, dtype=torch.bfloat16)


def require_agreement(model: nn.Module, task: Task, device: torch.device, seq_len: int) -> None:
    """Compare the losses and gradients of one small batch with the CPU's.

    Raises:
        ValueError: with what differs and by how much, if the two disagree.
    """
    batch = task.draw(seq_len, 2, generator_for(0, 0, "comparison of devices"))
    here = _answer(copy.deepcopy(model).cpu(), task, batch)
    there = _answer(copy.deepcopy(model).to(device), task, batch)
    if fault := disagreement(here, there):
        raise ValueError(
            f"The device {device} does not compute what the CPU computes: {fault}. Train with "
            "--device cpu, and perhaps with another version of torch."
        )


Answer = tuple[dict[str, float], dict[str, Tensor]]  # losses, and the gradient of each parameter


def disagreement(here: Answer, there: Answer) -> str:
    """Say what differs by more than rounding, if anything does."""
    for name, loss in here[0].items():
        other = there[0][name]
        if not abs(other - loss) <= _LOSS * max(1.0, abs(loss)):  # NaN is caught too
            return f"the loss {name!r} is {other:.5f} instead of {loss:.5f}"
    whole = sum(float(g.square().sum()) for g in here[1].values()) ** 0.5
    for name, gradient in here[1].items():
        off = float((there[1][name] - gradient).norm())
        if not off <= _GRADIENT * float(gradient.norm()) + _NOISE * whole:
            length = float(gradient.norm())
            return f"the gradient of {name}, of length {length:.2g}, is off by {off:.2g}"
    return ""


def _answer(model: nn.Module, task: Task, batch: tuple[Tensor, ...]) -> Answer:
    """Losses and gradients of a batch, without dropout."""
    model.eval()
    with torch.enable_grad():
        losses = task.losses(model, batch)
        sum(losses.values()).backward()
    gradients = {name: p.grad.detach().cpu() for name, p in model.named_parameters()
                 if p.grad is not None}  # fmt: skip
    return {name: loss.item() for name, loss in losses.items()}, gradients
