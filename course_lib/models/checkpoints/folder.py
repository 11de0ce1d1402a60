"""Folders with a published model: ``config.json`` and ``model.safetensors`` side by side."""

import json
from pathlib import Path

import safetensors.torch
import torch

from course_lib.config import GPTConfig
from course_lib.models.bert import Bert
from course_lib.models.checkpoints.bert import load_bert
from course_lib.models.checkpoints.configs import config_from, gpt2_config_json
from course_lib.models.checkpoints.files import WHOLE, read_tensors
from course_lib.models.checkpoints.gpt2 import as_gpt2, load_gpt2
from course_lib.models.gpt import GPT
from course_lib.whole_file import replace_file

CONFIG = "config.json"


def from_folder(folder: str | Path, *, allow_pickle: bool = False) -> GPT | Bert:
    """Make our GPT or BERT out of a folder with a published GPT-2 or BERT.

    Args:
        folder: such as one that ``save_pretrained`` of Hugging Face transformers has written.
        allow_pickle: see ``checkpoints.files.read_tensors``.

    Returns:
        The model in float32, in evaluation mode.  Of a BERT, the encoder; heads stay in the file.

    Raises:
        ValueError: if there is no ``config.json``, it asks for something that ours does not do,
            or the weights cannot be read or do not fit it (``Misfit``).
    """
    path = Path(folder) / CONFIG
    if not path.is_file():
        raise ValueError(f"folder must hold {CONFIG}, got {str(folder)!r}")
    try:
        published = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise ValueError(f"{CONFIG} must be JSON: {error}") from None
    config = config_from(published)
    tensors = read_tensors(folder, allow_pickle=allow_pickle)
    with torch.random.fork_rng(devices=[]):  # the random start is replaced straight after
        model = GPT(config) if isinstance(config, GPTConfig) else Bert(config)
    load_gpt2(model, tensors) if isinstance(model, GPT) else load_bert(model, tensors)
    return model.eval()


def write_gpt2(model: GPT, folder: str | Path) -> Path:
    """Write a GPT as a GPT-2 folder, which Hugging Face transformers reads as one of its own.

    Returns:
        The folder; it is made when there is none.

    Raises:
        ValueError: if the model is not built as GPT-2, such as with rotary positions.
    """
    tensors = {name: tensor.cpu().contiguous() for name, tensor in as_gpt2(model).items()}
    config = json.dumps(gpt2_config_json(model.config), indent=1) + "\n"
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / WHOLE, safetensors.torch.save(tensors, {"format": "pt"}), "folder")
    replace_file(folder / CONFIG, config.encode("utf8"), "folder")
    return folder
