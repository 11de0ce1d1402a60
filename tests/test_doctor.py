import pytest

from course_lib import doctor
from course_lib.door import environment, machine, pins, pythons
from course_lib.door.files import ROOT


@pytest.fixture
def bare(monkeypatch):
    """A machine where nothing is installed."""
    monkeypatch.setattr(pins, "installed", lambda name: None)
    monkeypatch.setattr(pins, "missing", lambda extra="": pins.requirements(extra))
    monkeypatch.setattr(environment, "stamped", lambda extra: False)


def last(capsys):
    return capsys.readouterr().out.splitlines()[-1]


def test_this_machine_is_fit(capsys):
    assert doctor.main(["--here"]) == 0
    line = last(capsys)
    assert line.startswith("course doctor: FIT | ") and "torch 2" in line and "ipykernel 7" in line


def test_on_a_bare_machine_it_says_what_to_do(bare, capsys):
    assert doctor.main([]) == 1
    out = capsys.readouterr().out
    assert out.count("python3 -m course_lib lab installs what is missing") == 1
    assert "course doctor: NOT FIT | " in out.splitlines()[-1]


def test_it_looks_at_the_environment_that_the_lessons_use(bare, monkeypatch):
    monkeypatch.setattr(environment, "stamped", lambda extra: True)
    called = []
    monkeypatch.setattr("subprocess.call", lambda command, cwd: called.append(command) or 0)
    assert doctor.main([]) == 0
    assert called == [[str(environment.PYTHON), "-m", "course_lib", "doctor", "--here"]]


@pytest.mark.parametrize(("package", "version", "said"), [
    ("ipykernel", "7.3.0", "ipykernel: 7.3.0, but ipykernel>=7.4,<8 is required"),
    ("ipywidgets", "7.8", "ipywidgets 7.8, but ipywidgets==8.* is required"),
    ("torch", "1.0", "torch: 1.0, but torch>=2.6,<3 is required"),
    ("safetensors", "0.1", "lacking safetensors"),
])
def test_a_wrong_version_is_named(monkeypatch, capsys, package, version, said):
    real = pins.installed
    monkeypatch.setattr(pins, "installed",
                        lambda name: version if name == package else real(name))
    assert doctor.main(["--here"]) == 1
    out = capsys.readouterr().out
    assert said in out and "(!)" in out.splitlines()[-1]


def test_a_widget_without_its_half_in_the_browser(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert doctor.main(["--here"]) == 1
    assert "without its page for JupyterLab" in capsys.readouterr().out


def test_too_little_memory_sends_to_binder(monkeypatch, capsys):
    monkeypatch.setattr(machine, "memory_gb", lambda: 1.0)
    assert doctor.main(["--here"]) == 1
    assert "Use Binder instead: https://mybinder.org" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_to(monkeypatch, capsys):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert doctor.main(["--here"]) == 1
    assert "Copy the folder of the course to a place of your own" in capsys.readouterr().out


def test_one_core_is_a_note_and_no_more(monkeypatch, capsys):
    monkeypatch.setattr(machine, "cores", lambda: 1.0)
    assert doctor.main(["--here"]) == 0
    assert "twice as long" in capsys.readouterr().out


def test_no_python_for_the_course(bare, monkeypatch, capsys):
    def none():
        raise pythons.NoPython("Install Python 3.12")

    monkeypatch.setattr(pythons, "find", none)
    monkeypatch.setattr(pythons, "fits", lambda facts: False)
    assert doctor.main([]) == 1
    assert "- Install Python 3.12" in capsys.readouterr().out


def test_the_line_for_the_teacher_names_no_folder_and_no_person(capsys, monkeypatch):
    monkeypatch.setenv("COURSE_BROWSER", "no-such-browser")
    doctor.main(["--here"])
    line = last(capsys)
    assert str(ROOT) not in line and str(ROOT.home()) not in line and "/" not in line
