import os

import pytest

from course_lib.door import my_course
from course_lib.door.lessons import Lesson


@pytest.fixture
def lesson(tmp_path):
    notebook = tmp_path / "21_a.ipynb"
    notebook.write_text("lesson", encoding="utf8")
    return Lesson("21", notebook, tmp_path / "21_a.py")


def test_copies_are_made_once_and_never_overwritten(tmp_path, lesson):
    folder = tmp_path / "mine"
    assert my_course.update(folder, [lesson]) == [folder / "21_a.ipynb"]
    (folder / "21_a.ipynb").write_text("my work", encoding="utf8")
    assert my_course.update(folder, [lesson]) == []
    assert (folder / "21_a.ipynb").read_text(encoding="utf8") == "my work"


def test_a_new_lesson_is_added(tmp_path, lesson):
    folder = tmp_path / "mine"
    my_course.update(folder, [lesson])
    added = lesson._replace(notebook=tmp_path / "22_b.ipynb")
    assert my_course.update(folder, [lesson, added]) == []  # only its text is there so far
    added.notebook.write_text("new", encoding="utf8")
    assert my_course.update(folder, [lesson, added]) == [folder / "22_b.ipynb"]


def test_fresh_keeps_every_old_copy(tmp_path, lesson):
    folder = tmp_path / "mine"
    assert my_course.fresh(lesson, folder) is None
    works = ["first work", "second work"]
    for work in works:
        (folder / "21_a.ipynb").write_text(work, encoding="utf8")
        kept = my_course.fresh(lesson, folder)
        assert kept.read_text(encoding="utf8") == work
        assert kept.name.startswith("21_a.20") and kept.suffix == ".ipynb"
    assert (folder / "21_a.ipynb").read_text(encoding="utf8") == "lesson"
    assert len(os.listdir(folder)) == 3


def test_fresh_loses_nothing_when_it_breaks_off(tmp_path, lesson, monkeypatch):
    folder = tmp_path / "mine"
    my_course.update(folder, [lesson])
    (folder / "21_a.ipynb").write_text("my work", encoding="utf8")

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="disk full"):
        my_course.fresh(lesson, folder)
    assert (folder / "21_a.ipynb").read_text(encoding="utf8") == "my work"
    assert os.listdir(folder) == ["21_a.ipynb"]


def test_fresh_of_a_lesson_without_notebook_touches_nothing(tmp_path, lesson):
    folder = tmp_path / "mine"
    my_course.update(folder, [lesson])
    lesson.notebook.unlink()
    with pytest.raises(ValueError, match="lesson 21 has no notebook yet"):
        my_course.fresh(lesson, folder)
    assert os.listdir(folder) == ["21_a.ipynb"]
