"""Links inside the course lead somewhere: from lesson to lesson, and from README.md."""

import re
from pathlib import Path
from urllib.parse import unquote

from course_lib.door.files import ROOT

from .conftest import LESSONS

LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"([^\"]+)\"")
BINDER = re.compile(r"mybinder\.org/v2/gh/[^/]+/[^/]+/[^/?]+\?urlpath=lab/tree/([^)\s\"&]+)")


def targets(text):
    """Every link of a Markdown text, without anchors into the same page."""
    found = ("".join(pair) for pair in LINK.findall(text))
    return [target.split("#")[0] for target in found if not target.startswith("#")]


def inside(text):
    """Those that stay inside the course."""
    return [unquote(target) for target in targets(text) if not re.match(r"\w+:", target)]


def prose(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_links_between_lessons_lead_somewhere(lesson, notebook):
    folder = lesson.notebook.parent
    assert not [link for link in inside(prose(notebook)) if not (folder / link).exists()]


def test_every_lesson_links_to_its_neighbours_and_the_contents(lesson, notebook):
    names = [other.notebook.name for other in LESSONS]
    place = names.index(lesson.notebook.name)
    wanted = {names[0], *names[max(place - 1, 0):place + 2]} - {lesson.notebook.name}
    assert wanted <= {Path(link).name for link in inside(prose(notebook))}


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf8")
    assert not [link for link in inside(text) if not (ROOT / link).exists()]
    badges = BINDER.findall(text)
    assert badges and all((ROOT / unquote(path)).exists() for path in badges)


def test_a_link_is_seen_in_each_way_of_writing_it():
    text = '[a](b.ipynb) ![c](d.png "title") <img src="e.png"> [f](#g) [h](https://i.org)'
    assert inside(text) == ["b.ipynb", "d.png", "e.png"]
