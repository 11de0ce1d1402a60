"""The text that every Python carries: its manual's topics and its library's source."""

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from course_lib.data.corpora.two_parts import (
    About,
    Corpus,
    cut_at_line,
    digest,
    is_held_out,
    long_lines,
    repeated_share,
    require_room,
)

# Not part of every Python, not meant to be read, or written by the installer of this machine
# (which would carry its paths and names into a lesson).
_LEFT_OUT_FOLDERS = {"test", "tests", "idle_test", "idlelib", "lib2to3", "distutils", "encodings",
                     "site-packages", "dist-packages", "pydoc_data", "__pycache__"}  # fmt: skip
_LEFT_OUT_FILES = ("_sysconfigdata", "sitecustomize", "usercustomize")
_LONGEST_PIECE = 30_000  # bytes; more of one file would make the text monotonous
_SHARED_LINES = 0.2  # a held-out file with more of its long lines in training is a copy

ABOUT = About(
    name="Python's manual topics and standard library",
    author="Python Software Foundation and contributors",
    licence="Python Software Foundation License 2",
    source="pydoc_data.topics and the .py files of the running Python's standard library",
    attribution="From Python, (c) Python Software Foundation, PSF License 2",
    comes="in every Python",
)


def python_text(max_bytes: int = 1_000_000, stdlib: Path | None = None) -> Corpus:
    """Return the text that every Python carries: its manual's topics and its library's source.

    Which file is held out follows from a hash of its path, about one in ten, so the choice
    stays the same from run to run and machine to machine.  Held-out files that repeat lines of
    the training part are dropped.  The text differs between versions of Python.

    Args:
        max_bytes: about nine tenths of it for training, one tenth for validation.
        stdlib: where the library's source lies; left out, that of the running Python.

    Raises:
        ValueError: if ``max_bytes`` is too small to leave text for both parts.
        FileNotFoundError: if this Python came without its source.
    """
    require_room(max_bytes)
    root = Path(sysconfig.get_path("stdlib")) if stdlib is None else stdlib
    pieces = _in_hash_order({**_library_files(root), **_manual_topics()})
    n_validation = max_bytes // 10
    train = _fill((p for name, p in pieces if not is_held_out(name)), max_bytes - n_validation)
    known = long_lines(train)
    fresh = (p for name, p in pieces if is_held_out(name) and not _repeats(_read(p), known))
    return ABOUT.corpus(train, _fill(fresh, n_validation))


def _library_files(root: Path) -> dict[str, Path]:
    """Find the library's source files, by their path inside the library."""
    found = {}
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = [
            name for name in subfolders
            if name not in _LEFT_OUT_FOLDERS and not name.startswith("config-")
        ]  # fmt: skip
        for name in files:
            if name.endswith(".py") and not name.startswith(_LEFT_OUT_FILES):
                path = Path(folder, name)
                found[path.relative_to(root).as_posix()] = path
    if not found:
        raise FileNotFoundError(
            f"no .py files of the standard library in {root}: this Python came without its "
            "source (the embeddable package for Windows does); install the full one"
        )
    return found


def _manual_topics() -> dict[str, bytes]:
    """Return the manual's texts that ``help()`` shows, where this Python has them."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        return {}
    return {f"pydoc_data/topics/{name}": text.encode("utf8") for name, text in topics.items()}


def _in_hash_order(pieces: dict[str, Path | bytes]) -> list[tuple[str, Path | bytes]]:
    """Mix the pieces, the same way each time, so that any first part is a fair sample."""
    return sorted(pieces.items(), key=lambda item: digest(item[0]))


def _read(piece: Path | bytes) -> bytes:
    """Read a piece as UTF-8 with bare line feeds, cut at a line end; empty if it is neither."""
    raw = piece.read_bytes() if isinstance(piece, Path) else piece
    raw = raw.replace(b"\r\n", b"\n")
    try:
        raw.decode("utf8")
    except UnicodeDecodeError:
        return b""
    return cut_at_line(raw, _LONGEST_PIECE)


def _fill(pieces: Iterator[Path | bytes], n_bytes: int) -> bytes:
    """Read pieces one after the other until the budget is full."""
    text = bytearray()
    for piece in pieces:
        text += cut_at_line(_read(piece), n_bytes - len(text))
        if len(text) >= n_bytes - 1000:  # what is left would be a stump
            break
    return bytes(text)


def _repeats(text: bytes, known: set[bytes]) -> bool:
    """Tell whether a piece is a copy, or nearly one, of text that is trained on."""
    return repeated_share(text, known) > _SHARED_LINES
