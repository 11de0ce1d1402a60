"""The commands that a training prints and logs: how it is made again, and how it goes on."""

import shlex
from pathlib import Path


def recorded(argv: list[str], n_processes: int = 1) -> str:
    """The command that makes the run again, as the log keeps it.

    It is left out where the run was written to and whether it was resumed; of a file that lies
    somewhere on this machine the name is kept.
    """
    kept, words = [], iter(_without_decision(argv))
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in ("--out", "--text") and not equals:
            value = next(words, "")
        if flag == "--text":
            kept += [flag, Path(value).name if Path(value).is_absolute() else value]
        elif flag != "--out":
            kept.append(word)
        elif not Path(value).is_absolute():
            kept += [flag, value]
    return shlex.join([*_start(n_processes), *kept])


def going_on(argv: list[str], n_processes: int = 1) -> str:
    """The command that goes on with the run on this machine."""
    return shlex.join([*_start(n_processes), *_without_decision(argv), "--resume"])


def _start(n_processes: int) -> list[str]:
    """What starts a training."""
    if n_processes == 1:
        return ["python3", "-m", "course_lib", "train"]
    return ["torchrun", "--nproc-per-node", str(n_processes), "-m", "course_lib", "train"]


def _without_decision(argv: list[str]) -> list[str]:
    """The arguments without what is to be done with an unfinished run."""
    return [word for word in argv if word not in ("--resume", "--restart")]
