"""The state of a training run: all that is needed to go on exactly where it stopped."""

from dataclasses import asdict, dataclass

import torch
from torch import nn

from course_lib.config import BertConfig, GPTConfig, TrainConfig
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.optim.groups import build_optimizer
from course_lib.training.checkpoint import fill_from, save_checkpoint
from course_lib.training.container import PathOrFile, read_container


@dataclass
class TrainState:
    """A model, its optimiser's memory, how many updates are done, and the settings.

    No generator is part of it: what a step draws follows from the seed and the step.
    """

    model: nn.Module
    optimizer: torch.optim.Optimizer
    step: int
    config: TrainConfig

    @classmethod
    def fresh(cls, model: nn.Module, config: TrainConfig) -> "TrainState":
        """Start a run: the model as it is, an optimiser that remembers nothing, step 0."""
        return cls(model, build_optimizer(model, config), 0, config)


def save(state: TrainState, target: PathOrFile, run: dict | None = None) -> None:
    """Save a run to a path (replaced in one stroke) or to an open binary file.

    Args:
        run: what else describes the run, such as its text; anything that JSON can hold.
    """
    notes = {
        "run": run or {},
        "model": type(state.model).__name__,
        "model_config": asdict(state.model.config),
        "train_config": asdict(state.config),
    }
    save_checkpoint(state.model, state.optimizer, state.step, target, notes)


def resume(source: PathOrFile, model: nn.Module | None = None) -> TrainState:
    """Return the run that :func:`save` saved; its next losses are the same to the last bit.

    Args:
        source: a path or a binary file open for reading.
        model: filled in place, when it has the saved shape; left out, a new GPT or
            ``BertPretraining`` is made.

    Raises:
        ValueError: if the file is truncated, of another kind, from a newer version, or does
            not fit ``model``; the model is then exactly as it was.
    """
    tensors, notes = read_container(source)
    try:
        described = notes["notes"]
        config = _train_config(described["train_config"])
        model = _matching_model(described, model)
    except (KeyError, TypeError) as error:
        raise ValueError(f"the checkpoint does not describe a training run: {error!r}") from error
    state = TrainState.fresh(model, config)
    state.step = fill_from(tensors, notes, model, state.optimizer)
    return state


def _train_config(fields: dict) -> TrainConfig:
    """Rebuild the settings; JSON turned the pair of betas into a list."""
    return TrainConfig(**{**fields, "betas": tuple(fields["betas"])})


def _matching_model(described: dict, model: nn.Module | None) -> nn.Module:
    """Return the model that was given, if it has the saved shape, or build one that has."""
    saved = described["model_config"]
    if model is not None:
        if not hasattr(model, "config"):
            raise ValueError(f"model must have a config, got {type(model).__name__}")
        here = asdict(model.config)
        if odd := [name for name in saved | here if saved.get(name) != here.get(name)]:
            differences = ", ".join(f"{n}={here.get(n)} (saved {saved.get(n)})" for n in odd)
            raise ValueError(f"model must have the configuration that was saved, got {differences}")
        return model
    kinds = {"GPT": (GPT, GPTConfig), "BertPretraining": (BertPretraining, BertConfig)}
    if described["model"] not in kinds:
        raise ValueError(f"model must be given to resume a {described['model']!r}, got None")
    build, config = kinds[described["model"]]
    with torch.random.fork_rng(devices=[]):  # the random start is replaced straight after
        return build(config(**saved))
