"""Reading and writing a trained model: weights in 16 bits, its vocabulary, how it was trained.

``NAME.safetensors`` holds the weights, and as text beside them the configuration and the
tokenizer.  ``NAME.json`` is the log of the run.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from course_lib.config import BertConfig, GPTConfig
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped.model import Shipped
from course_lib.models.shipped.tokenizers import described, restored
from course_lib.tokenizers.words import WordTokenizer
from course_lib.whole_file import replace_file

HERE = Path(__file__).parent
NAMES = ("stories-gpt", "modern-stories-gpt", "stories-bert", "bible-gpt", "bible-bert")
_FIRST_FORMAT, _FORMAT = "course_lib.shipped.1", "course_lib.shipped.2"
_FAMILIES = {"GPT": (GPT, GPTConfig), "BertPretraining": (BertPretraining, BertConfig)}


def load(name: str, folder: Path | None = None) -> Shipped:
    """Load a trained model; the numbers are stored in 16 bits and computed with in 32.

    Args:
        folder: left out, the one whose files come with the course.

    Raises:
        ValueError: if there is no such model, or its file is damaged.
    """
    path = _path(name, folder, ".safetensors")
    try:
        with safe_open(path, "pt") as file:
            notes = _of_this_format(file.metadata() or {})
            weights = {key: file.get_tensor(key).float() for key in file.keys()}  # noqa: SIM118
        kind, config = _FAMILIES[notes["family"]]
        with torch.random.fork_rng(devices=[]):  # the random start is replaced straight after
            model = kind(config(**json.loads(notes["config"])))
        _fill(model, weights)
        boundary_id = json.loads(notes["boundary_id"])
        return Shipped(name, model.eval(), restored(notes), boundary_id)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} cannot be loaded: {error}") from error


def log(name: str, folder: Path | None = None) -> dict:
    """Read what was written down while a model was trained."""
    return json.loads(_path(name, folder, ".json").read_text(encoding="utf8"))


def write(shipped: Shipped, run: Mapping[str, object], folder: Path | None = None) -> Path:
    """Write a model and the log of its run, each in one stroke; return the weights' path.

    Raises:
        ValueError: if a weight is too large for 16 bits.
    """
    folder = HERE if folder is None else Path(folder)
    weights = {}
    for name, weight in _stored(shipped.model).items():
        weights[name] = weight.detach().cpu().half().contiguous()
        if not weights[name].isfinite().all():
            raise ValueError(f"model must have weights that 16 bits can hold, not so {name}")
    notes = {
        "format": _FORMAT,
        "family": type(shipped.model).__name__,
        "config": json.dumps(asdict(shipped.model.config)),
        "boundary_id": json.dumps(shipped.boundary_id),
        **described(shipped.tokenizer),
    }
    path = folder / f"{shipped.name}.safetensors"
    replace_file(path, safetensors.torch.save(weights, notes), "folder")
    text = json.dumps(dict(run), indent=1) + "\n"
    replace_file(path.with_suffix(".json"), text.encode("utf8"), "folder")
    return path


def _of_this_format(notes: dict[str, str]) -> dict[str, str]:
    """Return a file's notes as they are written today."""
    if notes.get("format") == _FIRST_FORMAT:  # it knew GPT over words alone
        words = WordTokenizer(json.loads(notes["words"]))
        return {**notes, "family": "GPT", **described(words)}
    if notes.get("format") != _FORMAT:
        raise ValueError(f"format must be {_FORMAT}, got {notes.get('format')!r}")
    return notes


def _stored(model: nn.Module) -> dict[str, Tensor]:
    """Name every tensor of a model once: a shared one, such as the token table, the first time."""
    names: dict[int, str] = {}
    tensors = model.state_dict(keep_vars=True)
    for name, tensor in tensors.items():
        names.setdefault(id(tensor), name)
    return {name: tensors[name] for name in names.values()}


def _fill(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Copy weights into a model that has exactly these."""
    stored = _stored(model)
    if odd := sorted(set(stored) ^ set(weights)):
        raise ValueError(f"weights must be those of a {type(model).__name__}, not so {odd[0]}")
    for name, tensor in stored.items():
        if tensor.shape != weights[name].shape:
            here, there = tuple(tensor.shape), tuple(weights[name].shape)
            raise ValueError(f"{name} must have the shape {here}, got {there}")
    with torch.no_grad():
        for name, tensor in stored.items():
            tensor.copy_(weights[name])


def _path(name: str, folder: Path | None, suffix: str) -> Path:
    """Return the file of this model, if there is one."""
    path = (HERE if folder is None else Path(folder)) / f"{name}{suffix}"
    if not path.is_file():
        raise ValueError(f"name must be one of {NAMES}, got {name!r}: there is no {path.name}")
    return path
