"""The steps of an installation; pip itself is replaced, because the CI run is its real test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.door import environment, pins, pythons


@pytest.fixture
def place(monkeypatch, tmp_path):
    """An empty folder in place of the course's, a recorder in place of pip, nothing installed."""
    venv = tmp_path / ".venv"
    program = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    for name, value in {"VENV": venv, "PYTHON": program, "STAMP": venv / "stamp.json"}.items():
        monkeypatch.setattr(environment, name, value)
    monkeypatch.setattr(pins, "missing", lambda extra="": ["everything"])
    calls = []

    def pip(what, wheels, must=True):
        calls.append(what)
        return True

    monkeypatch.setattr(environment, "pip", pip)
    monkeypatch.setattr(environment, "answers", lambda url: False)
    monkeypatch.setattr(environment, "TRY_IMPORT", "import pip")
    return calls


def without_pip(venv: Path):
    """What an interrupted ``python -m venv`` leaves behind."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)


def test_an_interpreter_that_has_all_is_used_as_it_is(monkeypatch):
    monkeypatch.setattr(environment, "install", None)  # calling it would raise
    assert environment.ready("test") == Path(sys.executable)


def test_a_half_made_venv_is_made_anew_and_a_second_call_does_nothing(place):
    without_pip(environment.VENV)
    assert not environment.works()
    assert environment.ready("") == environment.PYTHON
    assert environment.works()
    torch = pins.tool()["torch"]
    assert place == [[torch], ["-e", str(environment.ROOT), torch]]
    place.clear()
    assert environment.ready("") == environment.PYTHON and place == []


@pytest.fixture
def installs(place, monkeypatch):
    """As ``place``, with a .venv that works without one being there."""
    monkeypatch.setattr(environment, "works", lambda: True)
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    monkeypatch.setattr("course_lib.door.setting.target", lambda: environment.VENV / "set.json")
    real = subprocess.run

    def run(command, **options):
        return real([command[0], "-c", ""] if "-m" in command else command, **options)

    monkeypatch.setattr("subprocess.run", run)
    environment.VENV.mkdir()
    return place


def test_an_interrupted_install_is_taken_up_again(installs, monkeypatch):
    pip = environment.pip

    def interrupted(what, wheels, must=True):
        if "-e" in what:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(environment, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.ready("")
    assert not environment.stamped("")
    monkeypatch.setattr(environment, "pip", pip)
    environment.ready("")
    assert len(installs) == 2 and environment.stamped("")


def test_a_broken_stamp_counts_as_none(installs):
    environment.STAMP.write_text("[\"half", encoding="utf8")
    assert not environment.stamped("")


def test_the_larger_install_stands_for_the_smaller_ones_only(installs):
    environment.ready("author")
    assert environment.stamped("author") and environment.stamped("")
    assert not environment.stamped("test")
    environment.ready("test")
    assert environment.stamped("author") and environment.stamped("test")


def test_other_requirements_need_another_install(installs, monkeypatch):
    environment.ready("")
    requirements = pins.requirements
    monkeypatch.setattr(pins, "requirements", lambda extra="": [*requirements(extra), "new>=1"])
    assert not environment.stamped("")


def test_packages_that_do_not_load_leave_no_stamp(installs, monkeypatch):
    monkeypatch.setattr(environment, "TRY_IMPORT", "import no_such_package")
    with pytest.raises(environment.CannotInstall, match="do not load"):
        environment.ready("")
    assert not environment.stamped("")


def test_cpu_index_is_asked_only_where_needed_and_only_when_it_answers(installs, monkeypatch):
    index = pins.tool()["torch-cpu-index"]
    for needed, there, indexed in [(True, True, True), (True, False, False), (False, True, False)]:
        installs.clear()
        monkeypatch.setattr(environment, "cpu_index_needed", lambda answer=needed: answer)
        monkeypatch.setattr(environment, "answers", lambda url, answer=there: answer)
        environment.install_torch(None)
        assert len(installs) == 1
        assert (index in installs[0]) is indexed
    monkeypatch.setattr(environment, "cpu_index_needed", lambda: True)
    monkeypatch.setattr(environment, "answers", None)
    environment.install_torch(Path("wheels"))  # without a network nothing is asked


def test_the_usual_index_is_asked_when_the_cpu_index_fails(installs, monkeypatch):
    tried = []

    def pip(what, wheels, must=True):
        tried.append(what)
        return must

    monkeypatch.setattr(environment, "pip", pip)
    monkeypatch.setattr(environment, "cpu_index_needed", lambda: True)
    monkeypatch.setattr(environment, "answers", lambda url: True)
    environment.install_torch(None)
    assert tried[1:] == [[pins.tool()["torch"]]]


@pytest.mark.parametrize(("system", "machine", "needed"), [
    ("linux", "x86_64", True), ("linux", "aarch64", False), ("darwin", "arm64", False),
    ("win32", "AMD64", False),
])
def test_only_linux_on_x86_64_needs_the_cpu_index(monkeypatch, system, machine, needed):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert environment.cpu_index_needed() is needed


def test_a_host_that_does_not_answer(monkeypatch):
    def refuse(address, timeout):
        assert address == ("example.invalid", 443) and timeout <= 3
        raise TimeoutError

    monkeypatch.setattr("socket.create_connection", refuse)
    assert environment.answers("https://example.invalid/whl/cpu") is False


def test_wheels_are_looked_at_before_anything_is_made(place, tmp_path):
    folder = tmp_path / "wheels"
    with pytest.raises(environment.CannotInstall, match="there is no folder"):
        environment.ready("", folder)
    folder.mkdir()
    (folder / "torch-2.13.0-cp312-none-any.whl").touch()
    with pytest.raises(environment.CannotInstall, match="no wheel of jupyterlab, setuptools"):
        environment.ready("", folder)
    assert not environment.VENV.exists() and place == []


def test_no_python_is_said_before_anything_is_made(place, monkeypatch):
    def none():
        raise pythons.NoPython("Install Python 3.12")

    monkeypatch.setattr(pythons, "find", none)
    with pytest.raises(environment.CannotInstall, match="Install Python 3.12"):
        environment.ready("")
    assert not environment.VENV.exists() and place == []


def test_pip_is_asked_to_stay_offline_with_wheels(monkeypatch, tmp_path):
    seen = []

    def run(command, **_):
        seen.append([str(word) for word in command])
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr("subprocess.run", run)
    with pytest.raises(environment.CannotInstall, match="pip could not install torch"):
        environment.pip(["torch==2.13.0"], tmp_path)
    assert ["--no-index", "--find-links", str(tmp_path)] == seen[0][-4:-1]
    assert environment.pip(["torch"], None, must=False) is False
    assert "--no-index" not in seen[1]
