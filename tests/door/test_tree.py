"""What holds for the repository as a whole: style, scripts, nothing stray on top."""

import os
import shutil
import subprocess
import sys

import pytest

from course_lib.door.files import ROOT

TOP = {"README.md", "environment.yml", "pyproject.toml", "LICENSE", "notebooks", "course_lib",
       "tests", "binder", ".ci", ".gitattributes", ".gitignore", ".pre-commit-config.yaml"}


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("not a git clone")
    return done.stdout.splitlines()


def test_ruff_finds_nothing():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "."], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_stray_on_top():
    assert {path.split("/")[0] for path in git("ls-files")} <= TOP


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("name", [".ci/run", "binder/postBuild", "binder/start"])
def test_scripts_can_be_read_and_run(name):
    subprocess.run(["bash", "-n", name], cwd=ROOT, check=True)
    text = (ROOT / name).read_bytes()
    assert text.startswith(b"#!") and b"set -euo pipefail" in text and b"\r" not in text
    assert os.name == "nt" or os.access(ROOT / name, os.X_OK)
    assert git("ls-files", "-s", name)[0].startswith("100755")


def test_start_hands_over_to_what_binder_runs():
    assert (ROOT / "binder" / "start").read_text(encoding="utf8").rstrip().endswith('exec "$@"')


def test_the_learners_copies_are_ignored():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf8").splitlines()
    assert {"/my_course/", "/.venv/"} <= set(ignored)
