import os
import signal
import subprocess
import sys
import time

import pytest

from course_lib import __main__ as door
from course_lib.door import commands, environment
from course_lib.door.files import ROOT


@pytest.mark.parametrize(("argv", "status"), [([], 2), (["--help"], 0), (["labb"], 2)])
def test_the_commands_are_listed(argv, status, capsys):
    assert door.main(argv) == status
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in ("lab", "test", "doctor", "bench", "notebooks"))
    assert ("no command 'labb'" in out) == (argv == ["labb"])


@pytest.mark.parametrize(("version", "said"), [((2, 7), "needs Python 3.11 or newer")])
def test_a_very_old_python_gets_a_sentence(monkeypatch, capsys, version, said):
    monkeypatch.setattr("sys.version_info", version)
    assert door.main(["lab"]) == 1
    assert said in capsys.readouterr().out


def test_an_old_python_hands_over_to_a_newer_one(monkeypatch):
    handed = []
    monkeypatch.setattr("course_lib.door.pythons.find", lambda: [sys.executable])
    monkeypatch.setattr("course_lib.door.pythons.follow", lambda c: handed.append(c) or 5)
    monkeypatch.setattr("sys.version_info", (3, 10, 1))
    assert door.main(["lab", "--no-browser"]) == 5
    assert handed == [[sys.executable, "-m", "course_lib", "lab", "--no-browser"]]


@pytest.mark.parametrize("error", [
    environment.CannotInstall("what to do"), ValueError("what to do"),
    PermissionError(13, "what to do"),
])
def test_a_foreseen_error_is_one_sentence(monkeypatch, capsys, error):
    def fail(argv):
        raise error

    monkeypatch.setattr(commands, "_lab", fail)
    assert door.main(["lab"]) == 1
    assert "what to do" in capsys.readouterr().out


def test_away_from_the_courses_folder_it_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    assert door.main(["doctor"]) == 1
    assert "Call this in the folder of the course" in capsys.readouterr().out


def test_ctrl_c_says_that_the_command_can_be_called_again(monkeypatch, capsys):
    def stop(argv):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "_test", stop)
    assert door.main(["test"]) == 130
    assert "called again" in capsys.readouterr().out


def test_a_command_moves_to_the_interpreter_that_has_what_it_needs(monkeypatch):
    called = []
    monkeypatch.setattr(environment, "ready", lambda extra: ROOT / extra / "python")
    monkeypatch.setattr("course_lib.door.pythons.follow", lambda c: called.append(c) or 0)
    assert door.main(["notebooks", "--check"]) == door.main(["bench"]) == 0
    assert called[0] == [str(ROOT / "author/python"), "-m", "course_lib", "notebooks", "--check"]
    assert called[1][0] == str(ROOT / "test/python")


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to one process, as kill does")
def test_ctrl_c_leaves_a_command_the_time_that_it_needs(tmp_path):
    """The process that follows it is hit again and again, for longer than call() would wait."""
    slow = "import signal, sys, time; signal.signal(signal.SIGINT, signal.SIG_IGN); " \
           "print('in', flush=True); time.sleep(1.5); sys.exit(7)"
    code = "import sys; from course_lib.door.pythons import follow; " \
           f"sys.exit(follow([sys.executable, '-c', {slow!r}]))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert process.stdout.readline() == "in\n"
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.wait(20) == 7
    process.stdout.close()


def test_the_standard_library_is_enough_to_start():
    """-S -I: an interpreter without any installed package."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from course_lib.__main__ import main; "
    for argv in (["doctor", "--here"], ["lab", "--help"], ["test", "--help"]):
        done = subprocess.run([sys.executable, "-I", "-S", "-c", f"{code}sys.exit(main({argv}))"],
                              capture_output=True, text=True, env=dict(os.environ))
        assert done.stderr == "" and "Traceback" not in done.stdout
        assert done.returncode == (argv[0] == "doctor")
