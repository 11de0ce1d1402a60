import ast
import os
import subprocess
import sys

import pytest

from course_lib.door import pins, pythons

INTEL_MAC, APPLE = ("3.12", 64, "x86_64"), ("3.12", 64, "arm64")


def test_supported_versions_are_those_of_the_project_table():
    assert pythons.supported() == pins.tool()["pythons"]


def test_the_running_python_is_taken_when_it_will_do():
    assert pythons.find() == [sys.executable]


def test_probe_of_what_is_no_python():
    assert pythons.probe(["no-such-program"]) is None
    assert pythons.probe([sys.executable, "-c", "exit(3)"]) is None


@pytest.mark.parametrize(
    ("facts", "system", "answer"),
    [
        (APPLE, "darwin", True), (INTEL_MAC, "darwin", False), (INTEL_MAC, "linux", True),
        (("3.12", 32, "AMD64"), "win32", False), (("3.15", 64, "x86_64"), "linux", False),
        (("3.10", 64, "x86_64"), "linux", False), (None, "linux", False),
    ],
)
def test_fits(facts, system, answer):
    assert pythons.fits(facts, system) is answer


def test_another_python_is_found_when_the_running_one_is_too_new(monkeypatch):
    facts = {sys.executable: ("3.15", 64, "x86_64"), "old": ("3.9", 64, "x86_64"),
             "right": ("3.13", 64, "x86_64"), "broken": None}
    monkeypatch.setattr(pythons, "candidates", lambda: [["broken"], ["old"], ["right"]])
    monkeypatch.setattr(pythons, "probe", lambda command: facts[command[0]])
    assert pythons.find() == ["right"]


def explanation(monkeypatch, system, machine, running, maxsize=2**63 - 1):
    monkeypatch.setattr(pythons, "candidates", lambda: [])
    monkeypatch.setattr(pythons, "probe", lambda command: running)
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("sys.maxsize", maxsize)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(pythons.NoPython) as caught:
        pythons.find()
    return str(caught.value)


def test_an_intel_mac_is_sent_to_binder(monkeypatch):
    monkeypatch.setattr(pythons, "_apple_silicon", lambda: False)
    text = explanation(monkeypatch, "darwin", "x86_64", INTEL_MAC)
    assert "no longer ships for Intel Macs" in text and "https://mybinder.org/v2/gh/" in text


def test_an_intel_python_on_apple_silicon_is_told_apart(monkeypatch):
    monkeypatch.setattr(pythons, "_apple_silicon", lambda: True)
    text = explanation(monkeypatch, "darwin", "x86_64", INTEL_MAC)
    assert "Intel build on an Apple Silicon Mac" in text and "mybinder" not in text


def test_a_32_bit_system_is_sent_to_binder(monkeypatch):
    text = explanation(monkeypatch, "linux", "i686", ("3.12", 32, "i686"), 2**31 - 1)
    assert "no longer ships for 32-bit systems" in text and "https://mybinder.org" in text


def test_a_32_bit_python_on_a_64_bit_system_names_the_one_to_install(monkeypatch):
    text = explanation(monkeypatch, "win32", "AMD64", ("3.12", 32, "AMD64"), 2**31 - 1)
    assert "32-bit build" in text and "Install Python 3.12 (64-bit)" in text


def test_a_python_without_wheel_names_the_one_to_install(monkeypatch):
    monkeypatch.setattr(pythons, "supported", lambda: ["3.12", "3.11"])
    monkeypatch.setattr("sys.version_info", (3, 15, 0))
    text = explanation(monkeypatch, "linux", "x86_64", ("3.15", 64, "x86_64"))
    assert "This is Python 3.15" in text and "Install Python 3.12" in text


def test_a_python_without_venv_says_what_debian_calls_it(monkeypatch):
    text = explanation(monkeypatch, "linux", "x86_64", None)
    assert "apt-get install python3-venv" in text


@pytest.mark.parametrize(
    "url", ["https://github.com/Ann/her-course.git", "git@github.com:Ann/her-course.git",
            "https://github.com/Ann/her-course"],
)
def test_binder_opens_the_repository_that_this_copy_came_from(monkeypatch, tmp_path, url):
    (tmp_path / "pyproject.toml").write_text('repository = "OWNER/REPO"\n', encoding="utf8")
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(pythons, "ROOT", tmp_path)
    assert "/gh/OWNER/REPO/HEAD?" in pythons.binder_link()
    config = f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs\n'
    (tmp_path / ".git" / "config").write_text(config, encoding="utf8")
    assert "/gh/Ann/her-course/HEAD?urlpath=lab/tree/notebooks/01_" in pythons.binder_link()


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "door/__init__.py",
                                  "door/pythons.py"])
def test_old_pythons_can_read_the_first_files(name):
    source = (pythons.ROOT / "course_lib" / name).read_text(encoding="utf8")
    ast.parse(source, feature_version=(3, 6))
    if "pythons" not in name:
        assert 'f"' not in source.replace('f""', ""), "Python 2 reads this one, too"


@pytest.mark.skipif(os.name == "nt", reason="makes a program that is a shell script")
def test_windows_launcher_output_is_read(monkeypatch, tmp_path):
    listing = " -V:3.13 *        C:\\Users\\A B\\Python313\\python.exe\n" \
              " -V:3.12          C:\\Python312\\python.exe\n"
    done = subprocess.CompletedProcess([], 0, stdout=listing)
    monkeypatch.setattr("subprocess.run", lambda *args, **kwargs: done)
    assert pythons._windows_pythons() == ["C:\\Users\\A B\\Python313\\python.exe",
                                          "C:\\Python312\\python.exe"]
