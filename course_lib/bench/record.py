"""The files of recorded runs: where and when something was measured, and how they are written."""

import json
import os
import platform
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import torch

from course_lib.whole_file import replace_file


def circumstances(command: str) -> dict[str, Any]:
    """Say by which command, when and on which machine it is measured."""
    return {
        "command": command,
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} "
                   f"threads, Python {platform.python_version()}, torch {torch.__version__}",
    }  # fmt: skip


def write(out: Path, found: Mapping[str, Any]) -> None:
    """Write the whole file anew, or leave it as it was."""
    replace_file(out, (json.dumps(found, indent=1) + "\n").encode("utf8"), "out")
