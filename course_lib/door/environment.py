"""Makes an interpreter that has what a command needs, with as little work as possible.

Every step can be interrupted: what was asked for is written into a stamp only after it has been
installed and imported, so the next call goes on where this one stopped.
"""

import hashlib
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from course_lib.door import pins, pythons
from course_lib.door.files import ROOT, Progress, write_atomically

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "course_lib.json"
TRY_IMPORT = "import torch, numpy, matplotlib, jupyterlab, ipykernel, ipywidgets, anywidget"


class CannotInstall(Exception):
    """The environment could not be made; the message says why and what to do."""


def ready(extra: str = "", wheels: Path | None = None) -> Path:
    """The interpreter to use: the running one if it has everything, else that of ``.venv``."""
    if not pins.missing(extra):
        return Path(sys.executable)
    if not stamped(extra):
        install(extra, wheels)
    return PYTHON


def fingerprint(extra: str) -> str:
    """Changes when another install is needed: other requirements, another place, another pin."""
    wanted = [pins.requirements(extra), pins.tool()["torch"], str(ROOT),
              pins.project()["tool"]["setuptools"]]
    return hashlib.sha256(json.dumps(wanted).encode("utf8")).hexdigest()


def stamped(extra: str) -> bool:
    """Whether ``.venv`` works and has been given all that ``extra`` stands for."""
    try:
        done = json.loads(STAMP.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return False
    return fingerprint(extra) in done and works()


def works() -> bool:
    """Whether the interpreter of ``.venv`` starts and has pip (it may be half made)."""
    if not PYTHON.exists():
        return False
    done = subprocess.run([PYTHON, "-c", "import pip"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def install(extra: str, wheels: Path | None) -> None:
    """Make or complete ``.venv``: torch first, then the course, then a try."""
    progress = Progress()
    check_wheels(wheels)
    if not works():
        make_venv(progress)
    progress.say(f"Installing {pins.tool()['torch']} (CPU; about 200 MB to load, 1 to 5 minutes)")
    install_torch(wheels)
    progress.say("Installing the course and what it needs" + (f" [{extra}]" if extra else ""))
    target = f"{ROOT}[{extra}]" if extra else str(ROOT)
    pip(["-e", target, pins.tool()["torch"]], wheels)  # the pin again: nothing may replace it
    progress.say("Trying it")
    tried = all(subprocess.run([PYTHON, *what], cwd=ROOT).returncode == 0
                for what in (["-c", TRY_IMPORT], ["-m", "course_lib.door.setting"]))
    if not tried:
        raise CannotInstall("The installed packages do not load (see above). Delete the folder "
                            ".venv and call this again.")
    have = set(pins.requirements(extra))
    names = ["", *pins.extras()]
    done = {name for name in names if have >= set(pins.requirements(name)) or stamped(name)}
    write_atomically(STAMP, json.dumps(sorted(map(fingerprint, done))))
    progress.say("Installed")


def check_wheels(wheels: Path | None) -> None:
    """A folder of wheels must hold some, and torch among them."""
    if wheels is None:
        return
    if not wheels.is_dir():
        raise CannotInstall(f"--wheels: there is no folder {wheels}")
    names = {path.name.split("-")[0].lower() for path in wheels.glob("*.whl")}
    lacking = {"torch", "setuptools", "jupyterlab"} - names
    if lacking:
        raise CannotInstall(f"--wheels: {wheels} holds {len(names)} packages, but no wheel of "
                            f"{', '.join(sorted(lacking))}; README.md says how to fill it")


def make_venv(progress: Progress) -> None:
    """A new ``.venv``, in place of one that does not work."""
    try:
        base = pythons.find()
    except pythons.NoPython as error:
        raise CannotInstall(str(error)) from None
    progress.say(f"Making .venv with {' '.join(base)}")
    clear = ["--clear"] if VENV.exists() else []
    try:
        done = subprocess.run([*base, "-m", "venv", *clear, str(VENV)])
    except OSError as error:
        raise CannotInstall(f"Cannot start {base[0]}: {error}") from None
    if done.returncode != 0 or not works():
        raise CannotInstall(f"Cannot make {VENV}: see the message above. The folder must be one "
                            "that you may write to, with 2 GB free.")


def install_torch(wheels: Path | None) -> None:
    """The pinned torch, from PyTorch's CPU index where the usual one would send CUDA's."""
    torch = pins.tool()["torch"]
    if wheels is None and cpu_index_needed() and answers(pins.tool()["torch-cpu-index"]):
        quick = ["--retries", "0", "--timeout", "15"]
        if pip(["--index-url", pins.tool()["torch-cpu-index"], *quick, torch], None, must=False):
            return
    pip([torch], wheels)


def cpu_index_needed() -> bool:
    """Only Linux on x86-64 gets gigabytes of CUDA from the usual index."""
    return sys.platform == "linux" and platform.machine().lower() in ("x86_64", "amd64")


def answers(url: str, seconds: float = 3) -> bool:
    """Whether the host of this address takes a connection within some seconds."""
    host = url.split("/")[2]
    try:
        socket.create_connection((host, 443), timeout=seconds).close()
    except OSError:
        return False
    return True


def pip(what: list[str], wheels: Path | None, must: bool = True,
        python: Path | None = None) -> bool:
    """Run pip install, in ``.venv`` if not said else; whether it succeeded (or CannotInstall)."""
    offline = ["--no-index", "--find-links", str(wheels.resolve())] if wheels else []
    command = [str(python or PYTHON), "-m", "pip", "install", "--disable-pip-version-check",
               "--no-input", *offline, *what]
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode != 0 and must:
        raise CannotInstall(
            f"pip could not install {what[-1]} (see above). Without a network: README.md, "
            "\"Installing offline\". When a download broke off, call this again: what is there "
            f"stays. Free disk space: {shutil.disk_usage(ROOT).free / 1e9:.1f} GB (2 are needed).")
    return done.returncode == 0
