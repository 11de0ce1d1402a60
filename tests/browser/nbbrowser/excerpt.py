"""Notebooks for the browser: a lesson cut down to its widgets, and notebooks made from cells."""

import json
from pathlib import Path

TAGS = {"setup", "widget"}


def excerpt(lesson: Path) -> list[str]:
    """Sources of the cells that a lesson's widgets need; nothing else is run, nothing trained."""
    cells = json.loads(lesson.read_text(encoding="utf8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return ["".join(c["source"]) for c in code if TAGS & set(c["metadata"].get("tags", []))]


def write_notebook(path: Path, sources: list[str]) -> Path:
    """A notebook with one code cell for each source."""
    cells = [
        {
            "cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": source,
            "outputs": [], "execution_count": None,
        }
        for i, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5
    }
    path.write_text(json.dumps(notebook), encoding="utf8")
    return path
