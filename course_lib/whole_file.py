"""Writing a file whole or not at all."""

import os
from pathlib import Path


def replace_file(target: str | os.PathLike, data: bytes, name: str = "path") -> None:
    """Write under a temporary name in the same folder, then take the old file's place.

    The bytes are forced to the disk before that.  Whatever stops this half way, the old file is
    still there and whole.

    Raises:
        FileNotFoundError: if the folder does not exist; the error calls the target ``name``.
    """
    path = Path(target).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{name} must lie in a folder that exists, got {path.parent}")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
