"""Authors' command, with real kernels on lessons of a few cells."""

import nbformat
import pytest

from course_lib.door import lessons, notebooks

GOOD = '# %% [markdown]\n# # 21 Try\n\n# %% tags=["setup"]\nx = 6 * 7\nprint(x)\n'
BAD = GOOD + "\n# %%\n# divides\n1 / 0\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one lesson of which only the text exists."""
    text = tmp_path / "notebooks" / "text"
    text.mkdir(parents=True)
    (text / "21_try.py").write_text(GOOD, encoding="utf8")
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setattr(notebooks, "choose", lambda wanted: lessons.choose(wanted, tmp_path))
    return tmp_path / "notebooks"


def run(*argv):
    return notebooks.main(list(argv))


def test_from_text_to_an_executed_notebook_and_back(course, capsys):
    assert run("--from-text", "21") == 0
    made = nbformat.read(course / "21_try.ipynb", as_version=4)
    assert made.cells[1].outputs[0].text == "42\n" and made.cells[1].execution_count == 1
    assert (course / "text" / "21_try.py").read_text(encoding="utf8") == GOOD
    assert run("--check") == 0
    before = (course / "21_try.ipynb").read_bytes()
    assert run("21") == 0
    assert (course / "21_try.ipynb").read_bytes() == before, "a second run changes nothing"
    assert {path.name for path in course.iterdir()} == {"21_try.ipynb", "text"}


def test_a_failing_cell_is_named_and_the_old_files_stay(course, capsys):
    run("--from-text", "21")
    before = (course / "21_try.ipynb").read_bytes()
    (course / "text" / "21_try.py").write_text(BAD, encoding="utf8")
    capsys.readouterr()
    assert run("--from-text", "21") == 1
    out = capsys.readouterr().out
    assert "cell 3 of 3 failed; it begins with: # divides" in out
    assert "ZeroDivisionError: division by zero" in out
    assert (course / "21_try.ipynb").read_bytes() == before
    assert (course / "text" / "21_try.py").read_text(encoding="utf8") == BAD


def test_when_both_were_changed_nothing_is_guessed(course, capsys):
    run("--from-text")
    (course / "text" / "21_try.py").write_text(GOOD.replace("7", "8"), encoding="utf8")
    assert run("--check") == 1
    assert run("21") == 1
    assert "cell 2: the text differs" in capsys.readouterr().out
    assert run("--from-notebook", "21") == 0
    assert (course / "text" / "21_try.py").read_text(encoding="utf8") == GOOD


@pytest.mark.parametrize("argv", [["99"], ["--check", "21"], ["--from-notebook", "21"]])
def test_what_is_not_there_is_said(course, capsys, argv):
    assert run(*argv) != 0
    out = capsys.readouterr().out
    assert any(word in out for word in ("no lesson 99", "is missing", "does not exist"))


def test_a_cell_that_text_cannot_hold_is_refused(course, capsys):
    run("--from-text")
    made = nbformat.read(course / "21_try.ipynb", as_version=4)
    made.cells[1].source += "\n# %%\ny = 2"
    nbformat.write(made, course / "21_try.ipynb")
    assert run("--from-notebook", "21") == 1
    assert "must not begin with '# %%'" in capsys.readouterr().out
    assert (course / "text" / "21_try.py").read_text(encoding="utf8") == GOOD


def test_a_kernel_that_dies_is_a_failure_of_its_cell(course, capsys):
    source = GOOD + "\n# %%\nimport os\nos._exit(3)\n"
    (course / "text" / "21_try.py").write_text(source, encoding="utf8")
    assert run("--from-text", "21") == 1
    assert "cell 3 of 3 failed" in capsys.readouterr().out
    assert not (course / "21_try.ipynb").exists()
