"""Files that are loaded from the network once and kept: pinned, whole or not there at all."""

import hashlib
import http.client
import os
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_SECONDS = 20  # without an answer
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Download:
    """A file on the network, and what tells that it is the right one."""

    file_name: str
    url: str
    n_bytes: int
    sha256: str


def cache_folder() -> Path:
    """Return the user's folder for files that can be loaded again.

    It is that of the system (Windows: ``LOCALAPPDATA``; macOS: ``~/Library/Caches``; elsewhere
    ``XDG_CACHE_HOME`` or ``~/.cache``), or what the variable ``COURSE_CACHE`` names: a
    class can share one folder.
    """
    if os.environ.get("COURSE_CACHE"):
        return Path(os.environ["COURSE_CACHE"]).expanduser()
    if sys.platform == "win32":
        base, usual = os.environ.get("LOCALAPPDATA", ""), Path("AppData", "Local")
    elif sys.platform == "darwin":
        base, usual = "", Path("Library", "Caches")
    else:
        base, usual = os.environ.get("XDG_CACHE_HOME", ""), Path(".cache")
    # A relative path there is to be ignored, says the XDG specification.
    return (Path(base) if os.path.isabs(base) else Path.home() / usual) / "course_lib"


def fetch(wanted: Download, folder: Path | None = None) -> Path:
    """Return the file from the cache, or load it into the cache first.

    Args:
        wanted: what to load.
        folder: where it is kept; left out, ``cache_folder()``.

    Raises:
        ConnectionError: if it is not there and cannot be loaded; the message says what to do.
        ValueError: if what came is not the pinned file; nothing of it is kept.
    """
    folder = cache_folder() if folder is None else folder
    path = folder / wanted.file_name
    if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == wanted.sha256:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{wanted.file_name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            _load(wanted, file, path)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    return path


def _load(wanted: Download, file: BinaryIO, path: Path) -> None:
    """Write what the address sends into the file; refuse all but the pinned bytes."""
    sha, n_bytes = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(wanted.url, timeout=_SECONDS) as answer:
            while n_bytes <= wanted.n_bytes and (chunk := answer.read(_CHUNK)):
                sha.update(chunk)
                n_bytes += len(chunk)
                file.write(chunk)
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionError(_offline(wanted, path, error)) from None
    if n_bytes < wanted.n_bytes:
        error = f"it broke off after {n_bytes:,} of {wanted.n_bytes:,} bytes"
        raise ConnectionError(_offline(wanted, path, error))
    if sha.hexdigest() != wanted.sha256:
        raise ValueError(
            f"{wanted.url} must give the {wanted.n_bytes:,} bytes with the SHA-256 "
            f"{wanted.sha256}, got others ({sha.hexdigest()}); nothing was kept"
        )


def _offline(wanted: Download, path: Path, error: Exception | str) -> str:
    """Say what failed and how to do without the network."""
    return (
        f"cannot load {wanted.url} ({error}). Without a network: load it elsewhere and save it as "
        f"{_from_home(path)}, or take a text that needs none: corpus(\"python\")"
    )


def _from_home(path: Path) -> str:
    """Write a path without the user's name, where it lies in the user's folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
