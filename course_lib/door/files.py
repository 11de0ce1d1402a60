"""Writing a file whole or not at all, and talking to the person at the keyboard."""

import os
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Put ``content`` at ``path`` under its final name only once all of it is on disk."""
    data = content.encode("utf8") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class Progress:
    """Lines that say what is being done, each with the seconds since the start."""

    def __init__(self):
        self.start = time.monotonic()

    def say(self, text: str) -> None:
        """Print one line at once, so that it stands there while the work goes on."""
        print(f"[{time.monotonic() - self.start:5.0f} s] {text}", flush=True)
