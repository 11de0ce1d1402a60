"""Gives an environment the course's one default for JupyterLab: ``-m course_lib.door.setting``.

A plain ``pip install`` brings this file along; an editable one (``-e``) does not.  It lies under a
name of our own, so no settings of anybody else are touched, and the learner's own always win.
"""

import sys
from pathlib import Path

from course_lib.door.files import write_atomically

SOURCE = Path(__file__).with_name("course_lib.json")
PLACE = Path("share", "jupyter", "lab", "settings", "overrides.d", SOURCE.name)


def target(prefix: str = sys.prefix) -> Path:
    """Where the environment with this prefix keeps it."""
    return Path(prefix) / PLACE


def main() -> int:
    """Write the file into the running interpreter's environment."""
    target().parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target(), SOURCE.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
