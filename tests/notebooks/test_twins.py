"""A lesson and its text twin are the same; what is stored was run from top to bottom."""

from course_lib.door.notebooks import check
from course_lib.door.twins import sources_digest

from .conftest import LESSONS


def test_there_are_lessons():
    assert {"01", "21", "61"} <= {lesson.number for lesson in LESSONS}


def test_twin_and_notebook_agree(lesson):
    assert check(lesson) == "notebook and twin agree"


def test_every_cell_was_run_in_order_in_one_go(code_cells):
    counts = [cell.execution_count for _, cell in code_cells if cell.source.strip()]
    assert counts == list(range(1, len(counts) + 1))


def test_outputs_are_those_of_the_stored_code(notebook):
    assert notebook.metadata["course_lib"]["outputs_of"] == sources_digest(notebook)


def test_nothing_but_what_every_lesson_has_in_its_metadata(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info", "course_lib"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)
