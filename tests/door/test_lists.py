"""pyproject.toml and the two conda environments say the same; Binder would build what we mean."""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from course_lib.door import pins
from course_lib.door.files import ROOT

CONDA_NAMES = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}
needs_repo2docker = pytest.mark.skipif(
    find_spec("repo2docker") is None and not os.environ.get("CI"),
    reason="jupyter-repo2docker is not installed (CI must have it)",
)
FILES = ("environment.yml", "binder/environment.yml")


def conda_list(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf8"))["dependencies"]


def as_conda(requirement):
    name, _ = pins.split(requirement)
    rest = requirement[len(name):].replace("==", "=")
    return CONDA_NAMES.get(name, name) + rest


@pytest.mark.parametrize("name", FILES)
def test_both_environments_hold_what_the_course_needs_and_no_more(name):
    python, *others = conda_list(name)
    assert sorted(others) == sorted(map(as_conda, pins.requirements("author")))
    assert python.startswith("python=") and python.removeprefix("python=") in pins.tool()["pythons"]


def test_the_tests_have_all_that_authors_have():
    assert set(pins.extras()["author"]) <= set(pins.extras()["test"])


def test_binder_installs_the_course_after_its_environment():
    """An ``-e`` or ``-r`` among the packages would make every commit build all of it anew."""
    assert all(isinstance(line, str) for line in conda_list("binder/environment.yml"))
    script = (ROOT / "binder" / "postBuild").read_text(encoding="utf8")
    assert "pip install --no-cache-dir --no-deps -e ." in script


@pytest.fixture(scope="module")
def committed():
    """The files of this repository in a folder of their own, as Binder gets them."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("binder", "pyproject.toml", "environment.yml"):
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, Path(folder, name))
        yield Path(folder)


@needs_repo2docker
@pytest.mark.filterwarnings("ignore:pythonjsonlogger:DeprecationWarning")
def test_binder_builds_from_our_folder_with_our_python(committed, monkeypatch):
    from repo2docker.buildpacks.conda import CondaBuildPack

    monkeypatch.chdir(committed)
    pack = CondaBuildPack(base_image="ubuntu")
    assert pack.detect() and str(pack.binder_dir) == "binder"
    assert "python=" + pack.python_version in conda_list("binder/environment.yml")
    assert pack.get_preassemble_script_files().keys() >= {"binder/environment.yml"}
    assert "binder/postBuild" in pack.get_post_build_scripts()
    assert pack.get_start_script().endswith("/binder/start")


@needs_repo2docker
def test_the_recipe_can_be_written_out(committed):
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(committed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    steps = [done.stdout.find(step) for step in (
        "src/binder/environment.yml ", '--file "binder/environment.yml"', " src/ ",
        "RUN ./binder/postBuild")]
    assert -1 not in steps and steps == sorted(steps), "packages first, then the course"
