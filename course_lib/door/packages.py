"""What ``doctor`` finds out about the installed packages."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

from course_lib.door import pins

GOOD, NOTE, BAD = "ok", "note", "NOT OK"
INSTALL = "python3 -m course_lib lab installs what is missing (Windows: py -m course_lib lab)."
FRONT_END = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}


class Finding(NamedTuple):
    """One thing looked at: how it stands, in few words, and what to do about it."""

    name: str
    state: str
    found: str
    advice: str = ""


def torch() -> Finding:
    """PyTorch is there, loads, and multiplies."""
    version = pins.installed("torch")
    if version is None:
        return Finding("torch", BAD, "is missing", INSTALL)
    try:
        import torch as library

        product = library.ones(2, 3) @ library.ones(3, 2)
    except Exception as error:  # a broken library may raise anything at all
        return Finding("torch", BAD, f"{version} does not load ({error})",
                       "Delete the folder .venv, then " + INSTALL)
    if product.sum().item() != 12:
        return Finding("torch", BAD, f"{version} multiplies wrongly", "Report this, please.")
    return _in_range("torch", version)


def kernel() -> Finding:
    """Kernels before 7.4 can mix two plots when a slider moves while a cell runs."""
    return _in_range("ipykernel", pins.installed("ipykernel"))


def front_end() -> Finding:
    """The halves of ipywidgets and anywidget that run in the browser."""
    found, wrong = [], []
    for package, extension in FRONT_END.items():
        version = pins.installed(package)
        page = Path(sys.prefix, "share", "jupyter", "labextensions", extension, "package.json")
        if version is None:
            wrong.append(f"{package} is missing")
        elif not page.is_file():
            wrong.append(f"{package} {version} without its page for JupyterLab")
        else:
            half = json.loads(page.read_text(encoding="utf8"))["version"]
            found.append(f"{package} {version} (page {half})")
        if version is not None and not pins.allows(_requirement(package), version):
            wrong.append(f"{package} {version}, but {_requirement(package)} is required")
    if wrong:
        return Finding("widgets", BAD, ", ".join(wrong), INSTALL)
    return Finding("widgets", GOOD, ", ".join(found))


def others() -> Finding:
    """Every other package that the lessons need."""
    named = {"torch", "ipykernel", *FRONT_END}
    lacking = [line for line in pins.missing() if pins.split(line)[0] not in named]
    if lacking:
        return Finding("other packages", BAD, "lacking " + ", ".join(lacking), INSTALL)
    return Finding("other packages", GOOD, f"all {len(pins.requirements()) - len(named)} there")


def _in_range(name: str, version: str | None) -> Finding:
    """Whether one package has a version that pyproject.toml allows."""
    if version is None:
        return Finding(name, BAD, "is missing", INSTALL)
    if not pins.allows(_requirement(name), version):
        return Finding(name, BAD, f"{version}, but {_requirement(name)} is required", INSTALL)
    return Finding(name, GOOD, version)


def _requirement(name: str) -> str:
    """What pyproject.toml says about one package."""
    return next(line for line in pins.requirements() if pins.split(line)[0] == name)
