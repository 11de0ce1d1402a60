import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.door import environment, lab, lessons, machine, my_course, pins


@pytest.fixture
def started(monkeypatch, tmp_path):
    """A course of two lessons in an empty folder; what JupyterLab would be started with."""
    (tmp_path / "notebooks").mkdir()
    for name in ("01_contents", "21_attention"):
        (tmp_path / "notebooks" / f"{name}.ipynb").write_text("as shipped", encoding="utf8")
    known = lessons.all_lessons(tmp_path)
    for module in (lessons, my_course):
        monkeypatch.setattr(module, "all_lessons", lambda root=None: known)
    monkeypatch.setattr(my_course, "FOLDER", tmp_path / "my_course")
    monkeypatch.setattr(environment, "ready", lambda extra, wheels: Path(sys.executable))
    monkeypatch.setattr(machine, "on_a_hub", lambda: False)
    commands = []

    def start(command):
        commands.append(command)
        return 0

    monkeypatch.setattr(lab, "start", start)
    return commands


def test_the_contents_lesson_opens_among_the_learners_copies(started):
    assert lab.main(["--no-browser", "--port", "9000"]) == 0
    assert started[0][1:3] == ["-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/my_course/01_contents.ipynb" in started[0]
    assert started[0][-3:] == ["--no-browser", "--port", "9000"]
    assert sorted(os.listdir(my_course.FOLDER)) == ["01_contents.ipynb", "21_attention.ipynb"]


def test_no_token_is_switched_off(started):
    lab.main([])
    assert not any(word in " ".join(started[0]).lower() for word in ("token", "password", "auth"))


def test_fresh_keeps_the_old_copy_and_says_where(started, capsys):
    lab.main([])
    copy = my_course.FOLDER / "21_attention.ipynb"
    copy.write_text("my work", encoding="utf8")
    lab.main(["--fresh", "21", "--no-browser"])
    assert copy.read_text(encoding="utf8") == "as shipped"
    kept = [name for name in os.listdir(my_course.FOLDER) if name.startswith("21_attention.2")]
    assert len(kept) == 1 and kept[0] in capsys.readouterr().out


def test_an_unknown_lesson_stops_before_anything_is_done(started, monkeypatch):
    monkeypatch.setattr(environment, "ready", None)
    with pytest.raises(ValueError, match="no lesson 99; the lessons are 01, 21"):
        lab.main(["--fresh", "99"])
    assert started == [] and not my_course.FOLDER.exists()


@pytest.mark.parametrize(("lacking", "status", "said"), [
    ([], 0, "open notebooks/01_how_this_course_works.ipynb"), (["torch>=2.6"], 1, "torch>=2.6"),
])
def test_on_a_hub_the_lessons_themselves_are_opened(started, monkeypatch, capsys, lacking, status,
                                                    said):
    monkeypatch.setattr(machine, "on_a_hub", lambda: True)
    monkeypatch.setattr(pins, "missing", lambda extra="": lacking)
    monkeypatch.setattr(environment, "ready", None)
    assert lab.main([]) == status
    assert said in capsys.readouterr().out
    assert started == [] and not my_course.FOLDER.exists()


def test_kernels_get_this_folders_library_before_any_other(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    assert lab.lab_environment()["PYTHONPATH"].split(os.pathsep) == [str(lab.ROOT), "elsewhere"]
    monkeypatch.delenv("PYTHONPATH")
    assert lab.lab_environment()["PYTHONPATH"] == str(lab.ROOT)


def test_ctrl_c_is_left_to_jupyterlab(monkeypatch):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.2); exit(254)"])
    real, pressed = process.wait, []

    def pressed_once(timeout=None):
        if not pressed:
            pressed.append(1)
            raise KeyboardInterrupt
        return real(timeout)

    monkeypatch.setattr(process, "wait", pressed_once)
    assert lab.wait(process) == 0 and pressed
    assert lab.wait(subprocess.Popen([sys.executable, "-c", "exit(5)"])) == 5


def test_as_root_jupyterlab_is_told_that_it_is_meant(started, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    lab.main([])
    monkeypatch.setattr("os.geteuid", lambda: 1000, raising=False)
    lab.main([])
    assert ["--allow-root" in command for command in started] == [True, False]
