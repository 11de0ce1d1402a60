import sys
from pathlib import Path

import pytest

from course_lib.door import browser, environment, suite

PASSING, FAILING = "def test_a(): pass\n", "def test_b(): assert 0\n"


@pytest.fixture
def everything(monkeypatch):
    """The stages that would be run, none of which is."""
    ran = []

    def run(stage, python):
        ran.append(stage)
        return suite.Result(stage.name, 0, 1.0, {"passed": 2})

    monkeypatch.setattr(suite, "run", run)
    monkeypatch.setattr(environment, "ready", lambda extra: Path(sys.executable))
    monkeypatch.setattr(browser, "find_browser", lambda: Path("some-browser"))
    monkeypatch.delenv("COURSE_REQUIRE_BROWSER", raising=False)
    return ran


def test_all_stages_and_the_browser_last_and_alone(everything, capsys):
    assert suite.main([]) == 0
    assert [stage.name for stage in everything] == ["unit", "notebooks", "browser"]
    assert everything[2].arguments == ["tests/browser", "--durations=10"]
    assert everything[2].variables == {"COURSE_BROWSER": "some-browser"}
    assert "=== 6 passed in" in capsys.readouterr().out.splitlines()[-1]


def test_all_but_the_browser_runs_two_at_a_time_with_one_thread_each(everything):
    suite.main([])
    *two, browser = everything
    for stage in two:
        assert stage.arguments[stage.arguments.index("-n") + 1] == "2"
        assert stage.variables["COURSE_THREADS"] == stage.variables["OMP_NUM_THREADS"] == "1"
    assert "-n" not in browser.arguments  # it measures latency


def test_every_lesson_is_run_once(everything):
    suite.main([])
    unit, notebooks, _ = everything
    assert "--nbval-lax" in notebooks.arguments
    lessons = [word for word in notebooks.arguments if word.endswith(".ipynb")]
    there = list((suite.ROOT / "notebooks").glob("*.ipynb"))
    assert len(lessons) == len(set(lessons)) == len(there)
    assert not any("nbval" in word for word in unit.arguments)


def test_quick_needs_neither_browser_nor_notebooks(everything, monkeypatch):
    monkeypatch.setattr(browser, "find_browser", None)
    assert suite.main(["--quick"]) == 0
    assert [stage.name for stage in everything] == ["unit"]


def test_without_a_browser_the_rest_runs_and_it_is_said(everything, monkeypatch, capsys):
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    assert suite.main([]) == 3
    assert [stage.name for stage in everything] == ["unit", "notebooks"]
    assert "Not everything was tested" in capsys.readouterr().out.splitlines()[-1]


def test_a_required_browser_is_asked_for_before_anything_else(everything, monkeypatch, capsys):
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(environment, "ready", None)
    monkeypatch.setenv("COURSE_REQUIRE_BROWSER", "1")
    assert suite.main([]) == 1
    assert everything == [] and "COURSE_REQUIRE_BROWSER" in capsys.readouterr().out


@pytest.mark.parametrize("status", [1, 2, 5])
def test_any_stage_that_does_not_pass_fails_the_whole(everything, monkeypatch, capsys, status):
    """5 is pytest's word for: there were no tests."""
    monkeypatch.setattr(suite, "run", lambda stage, python: suite.Result(
        stage.name, status if stage.name == "unit" else 0, 1.0, {}))
    assert suite.main([]) == 1
    assert f"unit             1.0  no tests  FAILED (pytest's status {status})" in (
        capsys.readouterr().out)


@pytest.mark.parametrize(("source", "status", "counts"), [
    (PASSING, 0, {"passed": 1, "failed": 0, "errors": 0, "skipped": 0}),
    (PASSING + FAILING, 1, {"passed": 1, "failed": 1, "errors": 0, "skipped": 0}),
    ("import pytest\npytest.skip('no', allow_module_level=True)", 5,
     {"passed": 0, "failed": 0, "errors": 0, "skipped": 1}),
    ("1 / 0", 2, {"passed": 0, "failed": 0, "errors": 1, "skipped": 0}),
])
def test_a_real_run_is_counted(tmp_path, monkeypatch, capfd, source, status, counts):
    """In an empty folder, so that the options of this project do not apply."""
    (tmp_path / "test_it.py").write_text(source, encoding="utf8")
    monkeypatch.setattr(suite, "ROOT", tmp_path)
    stage = suite.Stage("unit", ["test_it.py", "-p", "no:jaxtyping"], {})
    result = suite.run(stage, Path(sys.executable))
    assert (result.status, result.counts) == (status, counts)


def test_a_run_that_dies_is_a_failure_without_counts(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(suite, "ROOT", tmp_path)
    result = suite.run(suite.Stage("unit", ["--no-such-option"], {}), Path(sys.executable))
    assert result.status == 4 and result.counts == {}
    assert suite.report([result], everything=True) == 1
