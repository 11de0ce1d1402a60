"""What every lesson starts with: a fit machine, readable source, and errors on show."""

import ast
import importlib.metadata
import inspect
import os
import textwrap
from collections.abc import Callable

import torch
from IPython.display import Code

NEEDED = {"ipywidgets": (8, 9), "ipykernel": (7, 8), "anywidget": (0, 1)}  # from, below


def begin(lesson: int) -> None:
    """Get the machine ready for a lesson: check versions, set threads, seed PyTorch.

    The number of threads is COURSE_THREADS when that is set (1 on a shared hub), else at most 4.

    Raises:
        ImportError: when a package is missing or of a version that the lessons cannot use;
            the message says how to mend it.
    """
    for package, (lowest, below) in NEEDED.items():
        _require_package(package, lowest, below)
    torch.set_num_threads(_threads())
    torch.manual_seed(lesson)


def _require_package(package: str, lowest: int, below: int) -> None:
    """Raise an ImportError with the remedy unless the package's main version is in range."""
    remedy = "Close this lesson and start it with: python3 -m course_lib lab"
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(f"{package} is not installed. {remedy}") from None
    if not lowest <= int(version.split(".")[0]) < below:
        raise ImportError(
            f"{package} must be at least {lowest} and below {below}, got {version}. {remedy}"
        )


def _threads() -> int:
    """Read COURSE_THREADS, or take the cores that this process may use, at most 4."""
    wanted = os.environ.get("COURSE_THREADS", "")
    if wanted:
        if not wanted.isdecimal() or int(wanted) < 1:
            raise ValueError(f"COURSE_THREADS must be a whole number >= 1, got {wanted!r}")
        return int(wanted)
    # Not every system can say which cores a process may use.
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed else os.cpu_count() or 1
    # Who has limited all programs on the machine means this one too.
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(4, cores, int(limit) if limit.isdecimal() and int(limit) else 4)


class Source:
    """The code of a function or class, coloured on the page and plain elsewhere."""

    def __init__(self, code: str):
        self.code = code

    def __repr__(self) -> str:
        return self.code

    def _repr_html_(self) -> str:
        return Code(data=self.code, language="python")._repr_html_()


def show_source(thing: Callable) -> Source:
    """Show the library's own code of a function or class, without the docstring.

    What you see is what runs: it is read from the installed file.
    """
    code = textwrap.dedent(inspect.getsource(thing))
    return Source(_without_docstring(code))


def _without_docstring(code: str) -> str:
    """Cut the docstrings out of a definition, line by line, and keep everything else."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            first = node.body[0]
            for number in range(first.lineno - 1, first.end_lineno):
                lines[number] = None
    return "\n".join(line for line in lines if line is not None)


class ShownError:
    """The type and the message of an error that was asked for."""

    def __init__(self, error: BaseException):
        self.error = error

    def __repr__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}"


def shows_error(
    function: Callable[[], object], kind: type[Exception] = Exception
) -> ShownError:
    """Run a function that is meant to fail, and show its error in one line.

    Raises:
        AssertionError: when it does not fail with this kind of error, because then the lesson's
            text is wrong.
    """
    try:
        function()
    except kind as error:
        return ShownError(error)
    raise AssertionError(f"this was meant to fail with {kind.__name__}, and it did not")
