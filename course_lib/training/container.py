"""The file that a checkpoint is: tensors and a JSON text in one safetensors file, or an error.

Layout (the safetensors format): 8 bytes with the header's length, the header (JSON: for each
tensor its type, shape and place; free text under ``__metadata__``), then the tensors' bytes.
Nothing in it is ever executed, unlike a pickle.
"""

import io
import json
import os
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from course_lib.whole_file import replace_file

FORMAT = "course_lib.checkpoint"
VERSION = 1
_LONGEST_HEADER = 100_000_000  # the limit that the format itself sets

PathOrFile = str | os.PathLike | io.IOBase  # a file must be open in binary mode


def write_container(target: PathOrFile, tensors: dict[str, Tensor], notes: dict) -> None:
    """Write tensors and notes to a path or an open binary file.

    A path is replaced in one stroke (``whole_file.replace_file``): whatever stops this half way,
    the old file is still there and whole.
    """
    metadata = {"format": FORMAT, "version": str(VERSION), "notes": json.dumps(notes)}
    data = safetensors.torch.save(tensors, metadata)
    if hasattr(target, "write"):
        _write_all(target, data)
        return
    replace_file(target, data, "target")


def _write_all(file: io.IOBase, data: bytes) -> None:
    """Write everything, also to a file that takes only a part at a time."""
    rest = memoryview(data)
    while rest:
        written = file.write(rest)
        rest = rest[len(rest) if written is None else written :]


def read_container(source: PathOrFile) -> tuple[dict[str, Tensor], dict]:
    """Read what :func:`write_container` wrote.

    Raises:
        ValueError: if the file is empty, truncated, of another kind or from a newer version.
    """
    data = source.read() if hasattr(source, "read") else Path(source).read_bytes()
    if not isinstance(data, bytes):
        raise TypeError(f"the file must be open in binary mode, reading gave {type(data)}")
    metadata = _header(data).get("__metadata__", {})
    if metadata.get("format") != FORMAT:
        raise ValueError(f"a safetensors file, but not written as a {FORMAT}: {metadata or 'bare'}")
    version = metadata.get("version", "")
    if not version.isdecimal() or int(version) > VERSION:
        raise ValueError(
            f"the checkpoint has version {version!r}, this course_lib reads up to {VERSION}; "
            "update the course"
        )
    try:
        return safetensors.torch.load(data), json.loads(metadata["notes"])
    except (SafetensorError, KeyError, json.JSONDecodeError) as error:
        raise ValueError(f"the checkpoint is damaged: {error!r}") from error


def _header(data: bytes) -> dict:
    """Parse the header and compare the length it promises with the length that is there."""
    if not data:
        raise ValueError("the checkpoint is empty: 0 bytes")
    length = int.from_bytes(data[:8], "little")
    if len(data) >= 9 and (length > _LONGEST_HEADER or data[8:9] != b"{"):
        raise ValueError(f"not a checkpoint: not a safetensors file (starts with {data[:12]!r})")
    if len(data) < 8 + length or len(data) < 9:
        wanted = 8 + length if len(data) >= 8 else 8
        raise ValueError(f"the checkpoint is truncated: {len(data)} bytes, header needs {wanted}")
    try:
        header = json.loads(data[8 : 8 + length])
        entries = [entry for name, entry in header.items() if name != "__metadata__"]
        wanted = 8 + length + max((entry["data_offsets"][1] for entry in entries), default=0)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"not a checkpoint: its header cannot be read ({error!r})") from error
    if len(data) < wanted:
        raise ValueError(f"the checkpoint is truncated: {len(data)} of {wanted} bytes")
    if len(data) > wanted:
        raise ValueError(f"the checkpoint is damaged: {len(data)} bytes where {wanted} belong")
    return header
