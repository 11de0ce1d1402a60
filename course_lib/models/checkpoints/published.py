"""What every published checkpoint asks for: names made equal, nothing amiss, all or nothing."""

import re
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from course_lib.mechanisms.require import require_floats


def renamed(
    tensors: object, prefix: str, older: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Take a prefix off the names and replace older endings by newer ones.

    Raises:
        TypeError: if ``tensors`` maps no names to anything.
        ValueError: if two of them come to have the same name: which one was meant?
    """
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors must map names to tensors, got {type(tensors).__name__}")
    result = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"tensors must have names that are text, got {name!r}")
        new = name.removeprefix(prefix)
        for old_end, new_end in (older or {}).items():
            if new.endswith(old_end):
                new = new.removesuffix(old_end) + new_end
        if new in result:
            raise ValueError(f"tensors must hold {new!r} once, got it under two names")
        result[new] = tensor
    return result


def take(published: Mapping[str, object], name: str, family: str) -> Tensor:
    """Look a tensor up, or say which one is missing or is none."""
    if name not in published:
        raise ValueError(f"tensors must hold {name!r} of a {family} checkpoint; it is missing")
    require_floats(1, **{name: published[name]})
    if published[name].is_meta:
        raise TypeError(f"{name} must hold numbers, got a meta tensor: a shape alone")
    if published[name].layout != torch.strided:
        raise TypeError(f"{name} must be a dense tensor, got one of {published[name].layout}")
    return published[name]


def require_no_more_layers(published: Iterable[str], layer: str, n_layers: int) -> None:
    """Raise if the checkpoint is of a deeper model: half of it would be another model."""
    numbers = {int(found[1]) for name in published if (found := re.match(layer, name))}
    if numbers and max(numbers) >= n_layers:
        raise ValueError(
            f"tensors must be of a model with n_layers={n_layers}, got {max(numbers) + 1} layers"
        )


def require_no_surplus(published: Iterable[str], known: Iterable[str], ignored: str) -> None:
    """Raise if some name is neither known nor matches the pattern of what may be left out."""
    known = set(known)
    surplus = [name for name in published if name not in known and not re.match(ignored, name)]
    if surplus:
        others = f" and {len(surplus) - 1} more" if surplus[1:] else ""
        raise ValueError(
            f"tensors must hold nothing that has no place in the model, got {surplus[0]!r}{others}"
        )


def copy_into(model: nn.Module, ours: Mapping[str, Tensor]) -> None:
    """Copy tensors into the model by our names; check every shape before the first is copied."""
    parameters = dict(model.named_parameters())
    for name, parameter in parameters.items():
        if name not in ours:
            raise ValueError(
                f"model must hold the parameters of the checkpoint alone, got {name} as well: "
                f"is its output layer no longer tied to the token table?"
            )
        if parameter.is_inference():
            raise ValueError(f"model must not be made in inference mode, got {name} from there")
        if ours[name].shape != parameter.shape:
            raise ValueError(
                f"tensors must fit the model: {name} needs {tuple(parameter.shape)}, "
                f"got {tuple(ours[name].shape)}"
            )
        if parameter.is_meta:
            raise ValueError(f"model must hold numbers to be replaced, got a meta tensor in {name}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(ours[name])
