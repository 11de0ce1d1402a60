"""Checkpoints of any model and optimiser: everything is checked before anything is changed."""

import torch
from torch import Tensor, nn

from course_lib.training.container import PathOrFile, read_container, write_container


def save_checkpoint(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    step: int,
    target: PathOrFile,
    notes: dict | None = None,
) -> None:
    """Save weights, the optimiser's memory and the step to a path or binary file.

    Args:
        model: its state dict is saved, shared tensors once.
        optimizer: must train parameters of ``model``.
        step: updates made so far.
        target: a path, which is replaced in one stroke, or a file open for writing bytes.
        notes: anything else that JSON can hold, such as the configuration.
    """
    groups, memory = _groups(model, optimizer), {}
    tensors = {f"model.{name}": tensor for name, tensor in _weights(model).items()}
    for name, values in _optimizer_memory(model, optimizer).items():
        memory[name] = {k: None if isinstance(v, Tensor) else v for k, v in values.items()}
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{name}.{key}"] = value
    on_cpu = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    described = {"groups": groups, "memory": memory}
    write_container(target, on_cpu, {"step": step, "optimizer": described, "notes": notes or {}})


def load_checkpoint(source: PathOrFile, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load what :func:`save_checkpoint` saved into a model and optimiser of the same shape.

    Returns:
        The step.

    Raises:
        ValueError: if the file is not a whole checkpoint of such a model and optimiser; both
            are then exactly as they were.
    """
    tensors, notes = read_container(source)
    return fill_from(tensors, notes, model, optimizer)


def fill_from(
    tensors: dict[str, Tensor], notes: dict, model: nn.Module, optimizer: torch.optim.Optimizer
) -> int:
    """Check what was read against the model and optimiser, then copy it into them."""
    weights = _weights(model)
    try:
        step, described = _whole_step(notes["step"]), notes["optimizer"]
        _require_same_groups(described["groups"], _groups(model, optimizer))
        _require_names(set(tensors), _expected_names(weights, described["memory"]))
        for name, weight in weights.items():
            _require_fit(f"model.{name}", tensors[f"model.{name}"], weight)
        memory = _optimizer_state(tensors, described, dict(model.named_parameters()))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the checkpoint is damaged: its notes lack {error!r}") from error
    optimizer.load_state_dict(memory)
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(tensors[f"model.{name}"])
    return step


def _whole_step(step: object) -> int:
    """Return the step, if it is one."""
    if type(step) is not int or step < 0:
        raise ValueError(f"the checkpoint is damaged: step must be a whole number, got {step!r}")
    return step


def _expected_names(weights: dict[str, Tensor], memory: dict[str, dict]) -> set[str]:
    """List the tensors that a whole file holds."""
    expected = {f"model.{name}" for name in weights}
    for name, values in memory.items():
        expected |= {f"optimizer.{name}.{key}" for key, v in values.items() if v is None}
    return expected


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """Name every stored tensor of a model once: a shared one under its first name."""
    seen, weights = set(), {}
    for name, tensor in model.state_dict().items():
        place = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride())
        if tensor.numel() == 0 or place not in seen:
            weights[name] = tensor
        seen.add(place)
    return weights


def _names(model: nn.Module) -> dict[int, str]:
    """Look a parameter's name up by its identity."""
    return {id(parameter): name for name, parameter in model.named_parameters()}


def _optimizer_memory(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, dict]:
    """Return what the optimiser remembers of each parameter, by the parameter's name."""
    names = _names(model)
    return {names[id(p)]: dict(values) for p, values in optimizer.state.items()}


def _groups(model: nn.Module, optimizer: torch.optim.Optimizer) -> list[dict]:
    """Return the optimiser's groups with names in place of parameters."""
    names, groups = _names(model), []
    for group in optimizer.param_groups:
        strangers = [p for p in group["params"] if id(p) not in names]
        if strangers:
            raise ValueError(f"optimizer must train the model's own parameters, {len(strangers)} "
                             "of its parameters are not the model's")  # fmt: skip
        groups.append({**group, "params": [names[id(p)] for p in group["params"]]})
    return groups


def _optimizer_state(
    tensors: dict[str, Tensor], described: dict, parameters: dict[str, nn.Parameter]
) -> dict:
    """Put an optimiser's state dict together, parameters numbered as torch numbers them."""
    state, groups, number = {}, [], 0
    for group in described["groups"]:
        numbers = range(number, number + len(group["params"]))
        number = numbers.stop
        for i, name in zip(numbers, group["params"], strict=True):
            state[i] = dict(described["memory"].get(name, {}))
            for key, value in state[i].items():
                if value is None:
                    state[i][key] = tensor = tensors[f"optimizer.{name}.{key}"]
                    if tensor.ndim:
                        _require_shape(f"optimizer.{name}.{key}", tensor, parameters[name])
        # JSON has no tuples; torch's groups hold some (betas).
        kept = {k: tuple(v) if isinstance(v, list) else v for k, v in group.items()}
        groups.append({**kept, "params": list(numbers)})
    return {"state": {i: s for i, s in state.items() if s}, "param_groups": groups}


def _require_same_groups(found: list[dict], expected: list[dict]) -> None:
    """Raise unless both optimisers train the same parameters in the same groups."""
    found, expected = ([group["params"] for group in groups] for groups in (found, expected))
    flat_found, flat_expected = (sum(groups, []) for groups in (found, expected))
    if found != expected:
        odd = sorted(set(flat_found) ^ set(flat_expected))[:3] or "the same ones, grouped otherwise"
        raise ValueError(
            f"the checkpoint does not fit the model: its optimiser trains {len(flat_found)} "
            f"parameters, the one here {len(flat_expected)}; they differ in {odd}"
        )


def _require_names(found: set[str], expected: set[str]) -> None:
    """Raise unless the file holds exactly the tensors that are needed."""
    if missing := sorted(expected - found):
        raise ValueError(f"the checkpoint lacks {len(missing)} tensors, first {missing[0]!r}")
    if extra := sorted(found - expected):
        raise ValueError(f"the checkpoint has {len(extra)} tensors too many, first {extra[0]!r}")


def _require_fit(name: str, found: Tensor, wanted: Tensor) -> None:
    """Raise unless shape and type agree, so that copying is exact."""
    _require_shape(name, found, wanted)
    if found.dtype != wanted.dtype:
        raise ValueError(f"{name} must be {wanted.dtype} as in the model, the checkpoint has "
                         f"{found.dtype}")  # fmt: skip


def _require_shape(name: str, found: Tensor, wanted: Tensor) -> None:
    """Raise unless a tensor of the file has the shape that the model needs."""
    if found.shape != wanted.shape:
        raise ValueError(f"{name} must have shape {tuple(wanted.shape)} as in the model, the "
                         f"checkpoint has {tuple(found.shape)}")  # fmt: skip
