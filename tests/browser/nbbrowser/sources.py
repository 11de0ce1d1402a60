"""Notebooks for the browser: lessons cut down to their widgets, and `samples.py`."""

import json
from pathlib import Path

from nbbrowser.lab import Lab
from nbbrowser.notebook import Notebook

TAGS = {"setup", "widget"}
SAMPLES = Path(__file__).parents[1] / "samples.py"
LESSONS = Path(__file__).parents[3] / "notebooks"


def names_of_notebooks() -> list[str]:
    """`samples` and every lesson that has a tagged widget."""
    lessons = [path for path in sorted(LESSONS.glob("*.ipynb")) if tagged(path, {"widget"})]
    return ["samples", *(path.stem for path in lessons)]


def sources_of(name: str) -> list[str]:
    """The cells to run: all of `samples`, or those that a lesson's widgets need."""
    if name == "samples":
        return SAMPLES.read_text(encoding="utf8").split("# %%\n")[1:]
    return tagged(LESSONS / f"{name}.ipynb", TAGS)


def tagged(lesson: Path, wanted: set[str]) -> list[str]:
    """Sources of a lesson's code cells with a wanted tag, without experiments: those may train."""
    cells = json.loads(lesson.read_text(encoding="utf8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    tags = [set(cell["metadata"].get("tags", [])) for cell in code]
    chosen = [c for c, t in zip(code, tags, strict=True) if wanted & t and "experiment" not in t]
    return ["".join(cell["source"]) for cell in chosen]


def notebook_of(lab: Lab, name: str, sources: list[str]) -> Notebook:
    """A new notebook with one code cell for each source; open it in a `with` block."""
    cells = [
        {
            "cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": source,
            "outputs": [], "execution_count": None,
        }
        for i, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {
        "cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5
    }
    (lab.root / f"{name}.ipynb").write_text(json.dumps(content), encoding="utf8")
    return Notebook(lab, f"{name}.ipynb")
