"""Running a lesson from top to bottom in a fresh kernel of this very interpreter."""

import re
from pathlib import Path

ANSI = re.compile(r"\x1b\[[0-9;]*m")
SECONDS_PER_CELL = 900


class LessonFailed(Exception):
    """A cell of a lesson failed; the message names the cell and the error."""


def execute(notebook, folder: Path) -> float | None:
    """Run all cells, outputs into ``notebook``; the kernel's peak memory in MB where known."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    state = {"cell": 0, "peak": None}

    def starts(cell, cell_index):
        state["cell"] = cell_index

    def executed(cell, cell_index, execute_reply):
        state["peak"] = peak_megabytes(client.km.provisioner.pid)

    client = NotebookClient(
        notebook, kernel_manager_class=own_kernel(), timeout=SECONDS_PER_CELL,
        record_timing=False, store_widget_state=False, coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_execute=starts, on_cell_executed=executed,
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise LessonFailed(describe(notebook, state["cell"], error)) from None
    return state["peak"]


def own_kernel() -> type:
    """A kernel manager that starts this interpreter, whatever kernels are registered."""
    from ipykernel.kernelspec import make_ipkernel_cmd
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    class OwnKernel(AsyncKernelManager):
        @property
        def kernel_spec(self):
            command = [*make_ipkernel_cmd(), "--log-level=ERROR"]
            return KernelSpec(argv=command, display_name="Python 3", language="python")

    return OwnKernel


def describe(notebook, index: int, error: Exception) -> str:
    """Which cell failed and how: its number, its first line, the end of the traceback."""
    cell = notebook.cells[index]
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    lines = [f"cell {index + 1} of {len(notebook.cells)} failed; it begins with: {first}"]
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            trace = ANSI.sub("", "\n".join(output.traceback)).splitlines()
            lines += ["    " + line for line in trace[-15:]]
            break
    else:
        lines.append(f"    {type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return "\n".join(lines)


def peak_megabytes(pid: int) -> float | None:
    """The most memory a process has held so far, where the system tells (Linux)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf8")
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else None
