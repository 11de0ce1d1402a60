"""Reading and writing a trained model: weights in 16 bits, its words, and what it was trained by.

``NAME.safetensors`` holds the weights, and as text beside them the configuration and the
vocabulary.  ``NAME.json`` is the log of the run.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from course_lib.config import GPTConfig
from course_lib.models.gpt import GPT
from course_lib.whole_file import replace_file

HERE = Path(__file__).parent
NAMES = ("stories-gpt",)
_FORMAT = "course_lib.shipped.1"
_TIED = "lm_head.weight"  # the token table under another name


@dataclass(frozen=True)
class Shipped:
    """A trained GPT and the words that its ids stand for.

    Attributes:
        model: in float32, in evaluation mode.
        words: the word of each id.
        boundary_id: the id that stands before and behind each text.
    """

    name: str
    model: GPT
    words: tuple[str, ...]
    boundary_id: int

    def encode(self, text: str) -> list[int]:
        """Turn words with spaces between them into ids.

        Raises:
            ValueError: if a word is not in the vocabulary; this one has no way to spell it.
        """
        ids = {word: i for i, word in enumerate(self.words)}
        if unknown := [word for word in text.split() if word not in ids]:
            raise ValueError(
                f"text must be made of the {len(ids)} words that {self.name} knows, "
                f"got {unknown[0]!r}"
            )
        return [ids[word] for word in text.split()]

    def decode(self, ids: Sequence[int] | Tensor) -> str:
        """Turn ids into words with spaces between them."""
        numbers = [int(i) for i in ids]
        if unknown := [i for i in numbers if not 0 <= i < len(self.words)]:
            raise ValueError(f"ids must lie in [0, {len(self.words)}), got {unknown[0]}")
        return " ".join(self.words[i] for i in numbers)

    def prompt(self, text: str = "") -> Tensor:
        """Make the ids of one text's beginning, the boundary before it: [1, 1 + words]."""
        return torch.tensor([[self.boundary_id, *self.encode(text)]])


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
            notes = file.metadata() or {}
            weights = {key: file.get_tensor(key).float() for key in file.keys()}  # noqa: SIM118
        if notes.get("format") != _FORMAT:
            raise ValueError(f"{path.name} must be of the format {_FORMAT}, got {notes}")
        config, words = GPTConfig(**json.loads(notes["config"])), json.loads(notes["words"])
        with torch.random.fork_rng(devices=[]):  # the random start is replaced straight after
            model = GPT(config)
        if config.tie_embeddings:
            weights[_TIED] = weights["tokens.weight"]
        model.load_state_dict(weights)
        return Shipped(name, model.eval(), tuple(words), int(notes["boundary_id"]))
    except (SafetensorError, KeyError, TypeError, RuntimeError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error


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
    for key, weight in shipped.model.state_dict().items():
        if key == _TIED and shipped.model.config.tie_embeddings:
            continue
        weights[key] = weight.detach().cpu().half().contiguous()
        if not weights[key].isfinite().all():
            raise ValueError(f"model must have weights that 16 bits can hold, not so {key}")
    notes = {
        "format": _FORMAT,
        "config": json.dumps(asdict(shipped.model.config)),
        "words": json.dumps(shipped.words),
        "boundary_id": str(shipped.boundary_id),
    }
    path = folder / f"{shipped.name}.safetensors"
    replace_file(path, safetensors.torch.save(weights, notes), "folder")
    text = json.dumps(dict(run), indent=1) + "\n"
    replace_file(path.with_suffix(".json"), text.encode("utf8"), "folder")
    return path


def _path(name: str, folder: Path | None, suffix: str) -> Path:
    """Return the file of this model, if there is one."""
    path = (HERE if folder is None else Path(folder)) / f"{name}{suffix}"
    if not path.is_file():
        raise ValueError(f"name must be one of {NAMES}, got {name!r}: there is no {path.name}")
    return path
