"""``doctor``: is this machine fit for the course, and what to do when it is not.

The standard library alone until the checks of the packages, so that it also speaks on a machine
where nothing is installed.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from course_lib.door import browser as browsers
from course_lib.door import environment, machine, packages, pins, pythons
from course_lib.door import setting as jupyter_setting
from course_lib.door.files import ROOT
from course_lib.door.packages import BAD, GOOD, NOTE, Finding


def main(argv: list[str]) -> int:
    """Look at the interpreter that the lessons would use; 0 when the machine is fit."""
    made = argparse.ArgumentParser(
        prog="python3 -m course_lib doctor",
        description="Say in plain words whether this machine is fit for the course.",
    )
    made.add_argument("--here", action="store_true",
                      help="look at the running Python, whatever .venv holds")
    options = made.parse_args(argv)
    own = environment.PYTHON
    if not options.here and pins.missing() and environment.stamped(""):
        return subprocess.call([str(own), "-m", "course_lib", "doctor", "--here"], cwd=ROOT)
    findings = examine()
    print("\n".join(f"{found.state:<7} {found.name}: {found.found}" for found in findings))
    fit = all(finding.state != BAD for finding in findings)
    print("\n" + ("This machine is fit for the course." if fit else
                  "This machine is not fit for the course yet. What to do:"))
    states = (NOTE,) if fit else (BAD,)
    advice = [finding.advice for finding in findings if finding.state in states and finding.advice]
    for sentence in dict.fromkeys(advice):  # each once
        print(f"- {sentence}")
    print("\nTo send to a teacher:\n" + line(findings, fit))
    return 0 if fit else 1


def examine() -> list[Finding]:
    """All findings, in the order in which they matter."""
    looks: list[Callable[[], Finding]] = [
        python, packages.torch, packages.kernel, packages.front_end, packages.others, cores,
        memory, disk, setting, extras, browser,
    ]
    return [look() for look in looks]


def line(findings: list[Finding], fit: bool) -> str:
    """All of it in one line, without names of people or folders."""
    named = ("Python", "torch", "ipykernel", "widgets", "cores", "memory")
    parts = [f"{finding.name} {finding.found}" + (" (!)" if finding.state == BAD else "")
             for finding in findings if finding.state == BAD or finding.name in named]
    where = f"{platform.system()} {platform.machine()}"
    return f"course doctor: {'FIT' if fit else 'NOT FIT'} | {where} | " + " | ".join(parts)


def python() -> Finding:
    """The interpreter, and whether PyTorch has wheels for it."""
    found = platform.python_version()
    if not pins.missing("") or pythons.fits(pythons.probe([sys.executable])):
        return Finding("Python", GOOD, found)
    try:
        other = pythons.find()
    except pythons.NoPython as error:
        return Finding("Python", BAD, found, str(error))
    return Finding("Python", NOTE, found, f"lab will use {Path(other[0]).name} instead")


def cores() -> Finding:
    """Lessons are timed on two."""
    count = machine.cores()
    advice = "" if count >= 2 else "It works; training takes about twice as long as stated."
    return Finding("cores", GOOD if count >= 2 else NOTE, f"{count:g}", advice)


def memory() -> Finding:
    """2 GB in all: a lesson holds up to 1.2 GB, JupyterLab and the page the rest."""
    size = machine.memory_gb()
    if size is None:
        return Finding("memory", NOTE, "unknown", "2 GB are needed.")
    if size < 1.9:
        return Finding("memory", BAD, f"{size:.1f} GB, 2 are needed",
                       "Use Binder instead: " + pythons.binder_link())
    return Finding("memory", GOOD, f"{size:.1f} GB")


def disk() -> Finding:
    """Room for ``.venv`` while there is none, and the right to write here."""
    free = shutil.disk_usage(ROOT).free / 1e9
    if pins.missing() and free < 2:
        return Finding("disk", BAD, f"{free:.1f} GB free, 2 are needed", "Make room.")
    if not os.access(ROOT, os.W_OK):
        return Finding("disk", BAD, "this folder cannot be written to",
                       "Copy the folder of the course to a place of your own.")
    return Finding("disk", GOOD, f"{free:.0f} GB free")


def setting() -> Finding:
    """JupyterLab's default that keeps sliders from drawing in a second thread."""
    if jupyter_setting.target().is_file():
        return Finding("JupyterLab setting", GOOD, "sliders draw in the kernel's main thread")
    return Finding("JupyterLab setting", NOTE, "set by python3 -m course_lib lab only",
                   "To have JupyterLab's setting however it is started: "
                   "python3 -m course_lib.door.setting")


def extras() -> Finding:
    """What can be installed on top, and whether it is; a lesson needs none of it."""
    said = [f"{name} {'not all there' if pins.missing(name) else 'there'}"
            for name in pins.extras()]
    return Finding("extras (optional)", GOOD, ", ".join(said))


def browser() -> Finding:
    """The browser that the tests drive (the lessons open in any browser)."""
    try:
        path = browsers.find_browser()
    except ValueError as error:
        return Finding("browser for the tests", NOTE, str(error))
    return Finding("browser for the tests", GOOD if path else NOTE,
                   path.stem if path else "none found", "" if path else browsers.ADVICE)
