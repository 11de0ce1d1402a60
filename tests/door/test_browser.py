import sys
from pathlib import Path

import pytest

from course_lib.door import browser


def test_a_named_browser_must_be_there(monkeypatch):
    monkeypatch.setenv("COURSE_BROWSER", "no-such-browser")
    with pytest.raises(ValueError, match="COURSE_BROWSER must name .* got no-such-browser"):
        browser.find_browser()
    monkeypatch.setenv("COURSE_BROWSER", sys.executable)
    assert browser.find_browser() == Path(sys.executable)


def test_usual_places_are_looked_at_after_the_search_path(monkeypatch, tmp_path):
    program = tmp_path / "Google/Chrome/Application/chrome.exe"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.platform", "win32")
    for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    assert browser.find_browser() is None
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    assert browser.find_browser() == program


@pytest.mark.parametrize(("value", "answer"), [("1", True), ("0", False), ("", False)])
def test_required(monkeypatch, value, answer):
    monkeypatch.setenv("COURSE_REQUIRE_BROWSER", value)
    assert browser.required() is answer
