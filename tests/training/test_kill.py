import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def train_in_a_process(folder, *moment):
    """Run killed.py with this folder's files, wherever pytest was started."""
    paths = os.pathsep.join([str(HERE.parents[1]), str(HERE.parent / "support")])
    return subprocess.run(
        [sys.executable, HERE / "killed.py", folder / "run", folder / "losses", *moment],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )


def lines_of(folder):
    """Each line that was written: the step, and its losses as text."""
    lines = (folder / "losses").read_text(encoding="utf8").splitlines()
    return [(int(step), rest) for step, rest in (line.split(maxsplit=1) for line in lines)]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert train_in_a_process(folder, "never").returncode == 0
    return dict(lines_of(folder))


@pytest.mark.parametrize(("moment", "at", "done"), [("update", "8", 7), ("save", "9", 9)])
def test_killed_and_resumed_is_the_same_run(tmp_path, uninterrupted, moment, at, done):
    killed = train_in_a_process(tmp_path, moment, at)
    assert killed.returncode != 0
    assert killed.stderr == ""  # a mere exception would have left a traceback
    assert [step for step, _ in lines_of(tmp_path)] == list(range(1, done + 1))
    again = train_in_a_process(tmp_path, "never")
    assert again.returncode == 0, again.stderr
    resumed = lines_of(tmp_path)[done:]
    # The last whole checkpoint was that of step 6: the one of step 9 died half written.
    assert [step for step, _ in resumed] == list(range(7, 13))
    assert dict(lines_of(tmp_path)[:done]).items() <= uninterrupted.items()
    assert dict(resumed).items() <= uninterrupted.items()
    assert sorted(uninterrupted) == list(range(1, 13))
