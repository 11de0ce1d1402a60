"""Files of tensors: safetensors as they are, in one piece or several; pickles only when asked."""

import json
import pickle
import re
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

WHOLE, INDEX, PICKLED = "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"


def read_tensors(path: str | Path, *, allow_pickle: bool = False) -> dict[str, Tensor]:
    """Read all tensors of a checkpoint by their names.

    Args:
        path: a file of tensors, or a folder with ``model.safetensors``, alone or cut into
            several files with an index.
        allow_pickle: True reads a pickle (``pytorch_model.bin``) as well.  A pickle is a list of
            instructions that build objects, and may call any function on the way.  Of those,
            only the few that build tensors are then followed (``weights_only=True``).

    Raises:
        ValueError: if there is no such file, it is damaged, or it is a pickle and none is allowed.
    """
    path = Path(path)
    if not path.exists():
        raise ValueError(f"path must be a file or a folder that exists, got {str(path)!r}")
    if path.is_file():
        return _read_file(path, allow_pickle)
    if (path / WHOLE).is_file():
        return _read_safely(path / WHOLE)
    if (path / INDEX).is_file():
        return _read_shards(path / INDEX)
    if (path / PICKLED).is_file():
        return _read_file(path / PICKLED, allow_pickle)
    raise ValueError(
        f"path must hold {WHOLE} or {INDEX}, got a folder with "
        f"{', '.join(sorted(file.name for file in path.iterdir())) or 'nothing'}"
    )


def _read_file(path: Path, allow_pickle: bool) -> dict[str, Tensor]:
    """Read one file; what does not call itself safetensors is taken for a pickle."""
    if path.suffix == ".safetensors":
        return _read_safely(path)
    if not allow_pickle:
        raise ValueError(
            f"path must be a .safetensors file, got {path.name}: a pickle can run any code while "
            f"it is read. Convert it, or, if you know where it comes from, pass allow_pickle=True"
        )
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        asked = re.search(r"GLOBAL (\S+)", str(error))
        reason = f"it asks for {asked[1]}" if asked else "it is damaged, or no file of PyTorch"
        raise ValueError(f"{path.name} must hold tensors and nothing else; {reason}") from None
    if not isinstance(tensors, dict):
        raise ValueError(f"{path.name} must map names to tensors, got {type(tensors).__name__}")
    return tensors


def _read_safely(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file."""
    try:
        return safetensors.torch.load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path.name} must be a whole safetensors file: {error}") from None


def _read_shards(index: Path) -> dict[str, Tensor]:
    """Read the files that an index names, and see that each holds what the index says."""
    try:
        places = json.loads(index.read_text(encoding="utf8"))["weight_map"]
        files = sorted(set(places.values()))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{index.name} must map names to files in 'weight_map'") from None
    tensors = {}
    for name in files:
        # A name with a folder in it would lead out of this one.
        beside = isinstance(name, str) and Path(name).name == name
        if not (beside and (index.parent / name).is_file()):
            raise ValueError(f"{index.name} must name files that lie beside it, got {name!r}")
        tensors |= _read_safely(index.parent / name)
    if odd := sorted(tensors.keys() ^ places.keys()):
        raise ValueError(
            f"{index.name} must name what its files hold, not so {odd[0]!r} and "
            f"{len(odd) - 1} others"
        )
    return tensors
