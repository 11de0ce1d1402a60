"""From a command's name to the work: the right interpreter first, then the command."""

import os
import sys
from pathlib import Path

from course_lib.door import environment, pins, pythons
from course_lib.door.files import ROOT


def run(command: str, argv: list[str]) -> int:
    """Run one command; what goes wrong in a foreseen way is one sentence, not a traceback."""
    if not (ROOT / "pyproject.toml").is_file():  # installed without -e, and called elsewhere
        print("Call this in the folder of the course, the one that holds pyproject.toml.")
        return 1
    try:
        return globals()[f"_{command}"](argv)
    except (environment.CannotInstall, ValueError) as error:
        print(error)
    except PermissionError as error:
        print(f"This folder must be one that you may write to: {error}")
    return 1


def _lab(argv: list[str]) -> int:
    from course_lib.door import lab

    return lab.main(argv)


def _test(argv: list[str]) -> int:
    from course_lib.door import suite

    return suite.main(argv)


def _extras(argv: list[str]) -> int:
    from course_lib.door import extras

    return extras.main(argv)


def _doctor(argv: list[str]) -> int:
    from course_lib import doctor

    return doctor.main(argv)


def _bench(argv: list[str]) -> int:
    return _inside("bench", argv, "course_lib.bench", "test")


def _train(argv: list[str]) -> int:
    # Several processes must not install the same packages at the same time.
    if "TORCHELASTIC_RUN_ID" in os.environ and (lacking := pins.missing()):
        raise environment.CannotInstall(
            "torchrun must be the one of an environment that has all the course needs, such as "
            f".venv/bin/torchrun; this one lacks {', '.join(lacking)}"
        )
    return _inside("train", argv, "course_lib.door.train", "")


def _notebooks(argv: list[str]) -> int:
    return _inside("notebooks", argv, "course_lib.door.notebooks", "author")


def _inside(command: str, argv: list[str], module: str, extra: str) -> int:
    """Run a module's ``main`` in an interpreter that has what this extra stands for."""
    wanted = {"-h", "--help"} & set(argv)
    python = Path(sys.executable) if wanted else environment.ready(extra)
    if python == Path(sys.executable):
        from importlib import import_module

        return import_module(module).main(argv)
    return pythons.follow([str(python), "-m", "course_lib", command, *argv])
