import pytest

from course_lib.door.lessons import all_lessons, choose


@pytest.fixture
def root(tmp_path):
    (tmp_path / "notebooks" / "text").mkdir(parents=True)
    for name in ("notebooks/21_b.ipynb", "notebooks/01_a.ipynb", "notebooks/text/61_c.py",
                 "notebooks/Untitled.ipynb", "notebooks/01_a.2026-01-01.ipynb"):
        (tmp_path / name).touch()
    return tmp_path


def test_all_in_order_and_nothing_else(root):
    assert [lesson.number for lesson in all_lessons(root)] == ["01", "21", "61"]
    assert all_lessons(root)[2].notebook == root / "notebooks" / "61_c.ipynb"


@pytest.mark.parametrize("wanted", ["1", "01", "01_a", "notebooks/01_a.ipynb"])
def test_a_lesson_can_be_named_in_several_ways(root, wanted):
    assert [lesson.notebook.name for lesson in choose([wanted], root)] == ["01_a.ipynb"]


def test_no_number_means_all(root):
    assert len(choose([], root)) == 3


def test_unknown_lessons_are_named_with_the_known_ones(root):
    with pytest.raises(ValueError, match=r"no lesson 99, x; the lessons are 01, 21, 61"):
        choose(["99", "01", "x"], root)
