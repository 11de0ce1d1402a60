"""What a reader sees who has no widgets: on GitHub, or on a page that nbconvert made."""

import html
import re

import nbformat
import pytest
from nbconvert import HTMLExporter

from course_lib.door import lessons

LESSONS = pytest.mark.parametrize("lesson", lessons.all_lessons(), ids=lambda lesson: lesson.number)


def pictures_of_widgets(notebook):
    """Every widget's picture and the output behind it; a still figure is a cell's result."""
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        for i, output in enumerate(outputs):
            if output.output_type == "display_data" and "image/png" in output.data:
                yield output, outputs[i + 1] if i + 1 < len(outputs) else None


@LESSONS
def test_every_widget_leaves_its_picture_and_its_sentence(lesson):
    notebook = nbformat.read(lesson.notebook, as_version=4)
    found = list(pictures_of_widgets(notebook))
    assert found
    for picture, behind in found:
        assert behind is not None
        assert "image/png" not in behind["data"]
        assert behind["data"]["text/plain"] == picture["data"]["text/plain"]


@LESSONS
def test_nbconvert_shows_both(lesson):
    notebook = nbformat.read(lesson.notebook, as_version=4)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
    for picture, _ in pictures_of_widgets(notebook):
        assert " ".join(picture["data"]["text/plain"].split()) in words
        assert picture["data"]["image/png"].strip()[:200] in page
