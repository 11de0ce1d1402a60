"""What a run that shares its cell with a front end must know of it, and tell it."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any

from IPython.core.interactiveshell import InteractiveShell


def somebody_watches() -> bool:
    """True in a cell that a reader ran, False under nbclient, nbconvert, nbval and plain Python.

    With each cell a front end says whether it can ask its user for input.  JupyterLab can, and
    the programs that run notebooks on their own say that they cannot.
    """
    kernel = _kernel()
    if not hasattr(kernel, "get_parent"):
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin"))


@contextmanager
def moves_acknowledged() -> Iterator[None]:
    """Inside the `with` block of a cell that awaits, sliders can move more than once.

    A front end keeps the second move of a slider back until the kernel is "idle" after the first.
    ipykernel 7.4 hands moves on while a cell awaits, but says "idle" only when the cell ends; so
    it is said here, for all widgets on the page.
    """
    kernel = _kernel()
    handlers = getattr(kernel, "shell_handlers", {})
    handle = handlers.get("comm_msg")
    if handle is None:
        yield
        return
    cell = kernel.get_parent("shell")

    async def handle_and_say_so(stream: Any, ident: Any, message: Any) -> None:
        try:
            result = handle(stream, ident, message)
            if isawaitable(result):
                await result
        finally:
            kernel._publish_status("idle", "shell", message)
            kernel._publish_status("busy", "shell", cell)  # what the page shows is true again

    handlers["comm_msg"] = handle_and_say_so
    try:
        yield
    finally:
        handlers["comm_msg"] = handle


def _kernel() -> Any:
    """The kernel that ipykernel runs, or None in plain Python."""
    initialized = InteractiveShell.initialized()
    return getattr(InteractiveShell.instance(), "kernel", None) if initialized else None
