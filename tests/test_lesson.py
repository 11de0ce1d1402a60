import importlib.metadata
import sys

import pytest
import torch

from course_lib.lesson import begin, show_source, shows_error


def documented(x):
    """Say nothing that the code does not say."""
    return x + 1  # a comment stays


class Documented:
    """A class."""

    def method(self):
        """A method."""
        return "a string stays"


@pytest.mark.parametrize(("limit", "threads"), [("1", 1), ("64", 2), ("0", 2), ("2,1", 2)])
def test_a_limit_for_all_programs_is_kept(monkeypatch, limit, threads):
    monkeypatch.delenv("COURSE_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    begin(1)
    assert torch.get_num_threads() == threads


def test_threads_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("COURSE_THREADS", "3")
    begin(21)
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize("given", ["0", "many", "-1"])
def test_a_bad_number_of_threads_is_named(monkeypatch, given):
    monkeypatch.setenv("COURSE_THREADS", given)
    with pytest.raises(ValueError, match=f"COURSE_THREADS.*'{given}'"):
        begin(21)


def test_a_lesson_starts_from_the_same_random_state():
    begin(21)
    first = torch.rand(3)
    begin(21)
    assert torch.equal(torch.rand(3), first)


def test_an_old_package_is_named_with_the_remedy(monkeypatch):
    real = importlib.metadata.version
    old = {"ipywidgets": "7.7.1"}
    monkeypatch.setattr(importlib.metadata, "version", lambda name: old.get(name) or real(name))
    with pytest.raises(
        ImportError, match="ipywidgets must be at least 8.*got 7.7.1.*course_lib lab"
    ):
        begin(21)


def test_source_is_the_code_without_docstrings():
    assert (
        repr(show_source(documented)) == "def documented(x):\n    return x + 1  # a comment stays"
    )
    assert "A class" not in show_source(Documented).code
    assert "A method" not in show_source(Documented).code
    assert "a string stays" in show_source(Documented).code


def test_source_is_coloured_on_the_page():
    assert "<span" in show_source(documented)._repr_html_()


def test_an_error_is_one_line():
    assert repr(shows_error(lambda: [][0])) == "IndexError: list index out of range"


def test_a_missing_error_is_an_error():
    with pytest.raises(AssertionError, match="meant to fail"):
        shows_error(lambda: 1)


def test_another_error_than_expected_passes_through():
    with pytest.raises(IndexError):
        shows_error(lambda: [][0], NameError)


def test_an_interrupt_passes_through():
    with pytest.raises(SystemExit):
        shows_error(sys.exit)
