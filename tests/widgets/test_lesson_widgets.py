"""Every `explore` of every lesson, without a browser: each control at both ends and between.

Only cells tagged `setup` and `widget` are run, and no `experiment`, so nothing is trained.
"""

import ast
import json
import re
from itertools import product
from pathlib import Path

import pytest

from course_lib.widgets import Explorer

NOTEBOOKS = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
NOT_A_NUMBER = re.compile(r"\b(nan|inf|None)\b")


def tagged_cells(path):
    """Sources of the cells that a lesson's widgets need; a live run is also an `experiment`."""
    sources = []
    for cell in json.loads(path.read_text(encoding="utf8"))["cells"]:
        tags = set(cell["metadata"].get("tags", []))
        if cell["cell_type"] == "code" and tags & {"setup", "widget"} and "experiment" not in tags:
            sources.append("".join(cell["source"]))
    return sources


def explorers_in(path):
    """Run the cells as a notebook would, and collect what they show or keep."""
    names, shown = {"__name__": "lesson"}, []
    for source in tagged_cells(path):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
    found = [thing for thing in [*shown, *names.values()] if isinstance(thing, Explorer)]
    return list(dict.fromkeys(found))


def values_of(widget):
    """Both ends and the value at the start."""
    if hasattr(widget, "options"):
        values = [value for _, value in widget._options_full]
        return list(dict.fromkeys([values[0], widget.value, values[-1]]))
    if isinstance(widget.value, bool):
        return [False, True]
    if hasattr(widget, "base"):
        return [widget.base**widget.min, widget.value, widget.base**widget.max]
    return list(dict.fromkeys([widget.min, widget.value, widget.max]))


def check_sentence(explorer):
    assert explorer.sentence.endswith((".", "!", "?")), explorer.sentence
    assert not NOT_A_NUMBER.search(explorer.sentence), explorer.sentence


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_control_from_end_to_end(path):
    for explorer in explorers_in(path):
        ranges = {name: values_of(widget) for name, widget in explorer.controls.items()}
        for values in product(*ranges.values()):
            explorer.set(**dict(zip(ranges, values, strict=True)))  # a warning is an error here
            check_sentence(explorer)
        for name, values in ranges.items():
            explorer.reset()
            pictures = {explorer.image.value for v in values if explorer.set(**{name: v}) or True}
            assert len(pictures) == len(values), f"{name} does not change the picture"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_reset_gives_back_the_first_picture(path):
    for explorer in explorers_in(path):
        picture, sentence = explorer.image.value, explorer.sentence
        for name, widget in explorer.controls.items():
            explorer.set(**{name: values_of(widget)[-1]})
        explorer.reset()
        assert explorer.image.value == picture and explorer.sentence == sentence
