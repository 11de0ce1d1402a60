"""Every stored lesson, read once."""

import nbformat
import pytest

from course_lib.door.lessons import all_lessons

LESSONS = all_lessons()


@pytest.fixture(params=LESSONS, ids=[lesson.number for lesson in LESSONS])
def lesson(request):
    """One lesson: its number and its two files."""
    return request.param


@pytest.fixture
def notebook(lesson):
    """The lesson as it is stored."""
    return nbformat.read(lesson.notebook, as_version=4)


@pytest.fixture
def code_cells(notebook):
    """Its code cells, each with its number among all cells, as JupyterLab's reader counts them."""
    return [(number, cell) for number, cell in enumerate(notebook.cells, start=1)
            if cell.cell_type == "code"]
