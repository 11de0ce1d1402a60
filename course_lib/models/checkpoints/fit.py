"""Filling a model from published tensors: all or nothing, and every mismatch is listed."""

import re
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from course_lib.mechanisms.require import require_floats
from course_lib.models.checkpoints.names import Stored

Shape = tuple[int, ...]


class Misfit(ValueError):
    """Published tensors and a model that are not of one shape; the message lists every name.

    Attributes:
        missing: what the model needs and the file has not.
        left_over: what the file has and the model has no place for.
        reshaped: name -> (shape that is needed, shape that came).
    """

    def __init__(
        self,
        missing: Iterable[str],
        left_over: Iterable[str],
        reshaped: Mapping[str, tuple[Shape, Shape]],
    ):
        self.missing, self.left_over = tuple(missing), tuple(left_over)
        self.reshaped = dict(reshaped)
        needs = {n: f" needs {want}, got {got}" for n, (want, got) in self.reshaped.items()}
        kinds = {
            "missing": dict.fromkeys(self.missing, ""),
            "left over": dict.fromkeys(self.left_over, ""),
            "of another shape": needs,
        }
        told = [f"{len(names)} {kind} ({listed(names)})" for kind, names in kinds.items() if names]
        super().__init__("tensors must fit the model, got " + "; ".join(told))


def listed(names: Mapping[str, str]) -> str:
    """Write names and their notes one after the other; those that differ in a layer, once.

    Example:
        >>> listed({"h.0.b": "", "h.1.b": "", "h.3.b": "", "wte": " is small"})
        'h.{0..1, 3}.b, wte is small'
    """
    layers: dict[tuple[str, str], list[int]] = {}
    for name, note in names.items():
        pattern, found = re.sub(r"\.\d+\.", ".*.", name, count=1), re.search(r"\.(\d+)\.", name)
        layers.setdefault((pattern, note), []).extend([int(found[1])] if found else [])
    return ", ".join(
        pattern.replace("*", _ranges(sorted(numbers)), 1) + note
        for (pattern, note), numbers in layers.items()
    )


def fill(
    model: nn.Module, published: Mapping[str, object], names: Mapping[str, Stored], ignored: str
) -> None:
    """Copy published tensors into the model's parameters, after everything has been looked at.

    Args:
        published: tensors by their names there.
        names: for each of those names, which parameters it holds, and how.
        ignored: pattern of the names that may be left in the file.

    Raises:
        Misfit: if tensors are missing, left over or of another shape.
        TypeError: if a tensor is no dense tensor of floats.
        ValueError: if the model cannot be filled.
    """
    parameters = dict(model.named_parameters())
    _require_fillable(parameters, {ours for stored in names.values() for ours in stored.ours})
    there = {name: take(published, name) for name in names if name in published}
    needed = {name: names[name].shape(parameters) for name in there}
    reshaped = {n: (needed[n], tuple(t.shape)) for n, t in there.items() if t.shape != needed[n]}
    missing = [name for name in names if name not in there]
    left_over = [n for n in published if n not in names and not re.match(ignored, n)]
    if missing or left_over or reshaped:
        raise Misfit(missing, left_over, reshaped)
    with torch.no_grad():
        for name, tensor in there.items():
            for ours, part in names[name].unpack(tensor, parameters).items():
                parameters[ours].copy_(part)


def take(published: Mapping[str, object], name: str) -> Tensor:
    """Look a tensor up, or say why it is none that can be copied."""
    require_floats(**{name: published[name]})
    if published[name].is_meta:
        raise TypeError(f"{name} must hold numbers, got a meta tensor: a shape alone")
    if published[name].layout != torch.strided:
        raise TypeError(f"{name} must be a dense tensor, got one of {published[name].layout}")
    return published[name]


def _require_fillable(parameters: Mapping[str, nn.Parameter], known: set[str]) -> None:
    """Raise unless every parameter has a published name, and room for numbers."""
    for name, parameter in parameters.items():
        if name not in known:
            raise ValueError(
                f"model must hold the parameters of the checkpoint alone, got {name} as well: "
                f"is its output layer no longer tied to the token table?"
            )
        if parameter.is_inference():
            raise ValueError(f"model must not be made in inference mode, got {name} from there")
        if parameter.is_meta:
            raise ValueError(f"model must hold numbers to be replaced, got a meta tensor in {name}")


def _ranges(numbers: list[int]) -> str:
    """Write 0, 1, 2, 5 as {0..2, 5}, and a single number as it is."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f"{run[0]}..{run[-1]}" if run[1:] else str(run[0]) for run in runs]
    return "{" + ", ".join(texts) + "}" if len(numbers) > 1 else "".join(texts)
