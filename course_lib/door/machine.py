"""What this machine has: cores, memory, disk; and whether it is a hub or Binder."""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path


def on_a_hub() -> bool:
    """Whether a hub or Binder has started this, so that JupyterLab is running already."""
    names = ("JUPYTERHUB_USER", "JUPYTERHUB_API_URL", "BINDER_SERVICE_HOST", "BINDER_REPO_URL")
    return any(os.environ.get(name) for name in names)


def cores() -> float:
    """The cores that this process may use; a container's share counts."""
    try:
        count = float(len(os.sched_getaffinity(0)))
    except AttributeError:  # not on Windows and macOS
        count = float(os.cpu_count() or 1)
    share = _cgroup("cpu.max").split()
    if len(share) == 2 and share[0].isdigit():
        count = min(count, int(share[0]) / int(share[1]))
    return count


def memory_gb() -> float | None:
    """The memory of the machine, or of the container this runs in, in GB (None: unknown)."""
    try:
        total = _total_bytes()
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    limit = _cgroup("memory.max").strip()
    return min(total, int(limit) if limit.isdigit() else total) / 1e9


def _total_bytes() -> int:
    """All memory of the machine; each system tells it in its own way."""
    if sys.platform == "darwin":
        done = subprocess.run(["sysctl", "-n", "hw.memsize"], capture_output=True, text=True)
        return int(done.stdout)
    if os.name == "nt":
        return _windows_bytes()
    text = Path("/proc/meminfo").read_text(encoding="utf8")
    return int(re.search(r"MemTotal:\s+(\d+) kB", text)[1]) * 1024


def _windows_bytes() -> int:
    """GlobalMemoryStatusEx: a structure of two 32-bit and seven 64-bit numbers."""

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_uint32), ("load", ctypes.c_uint32),
                    *((f"field{i}", ctypes.c_uint64) for i in range(7))]

    status = Status(length=ctypes.sizeof(Status))
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return status.field0


def _cgroup(name: str) -> str:
    """One file of the container's limits, empty where there is none."""
    try:
        return Path("/sys/fs/cgroup", name).read_text(encoding="utf8")
    except OSError:
        return ""
