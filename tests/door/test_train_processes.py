"""``course_lib train`` under torchrun: stopped, killed and resumed in any number of processes."""

import signal
import sys
from contextlib import nullcontext

import pytest
from torchrun import torchrun

from course_lib.door import train, train_commands
from course_lib.models.shipped import log
from course_lib.training import processes
from course_lib.training.growing_log import read_growing_log
from course_lib.training.run_files import RunFiles

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tested on Linux and macOS")
STEPS = 9
SMALL = ["--set", "d_model=8", "n_layers=1", "n_heads=2", "max_seq_len=16", "batch_size=3",
         "eval_batches=1", "eval_every=100", "--steps", str(STEPS)]  # fmt: skip
WHOLE = ["stories-gpt.json", "stories-gpt.safetensors", "stories-gpt.steps.jsonl"]
# Something happens to one of the processes while it grades the batch of a step.
SCRIPT = """
import os, signal, sys
from course_lib.__main__ import main
from course_lib.training.shared import Shared

what, rank, step, *argv = sys.argv[1:]

def losses(self, model, batch, real=Shared.losses, done=[]):
    done.append(batch)
    if len(done) == int(step) and os.environ["RANK"] == rank:
        if what == "interrupt":
            signal.raise_signal(signal.SIGINT)
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "spoil":
            raise ValueError("these rows are spoilt")
    return real(self, model, batch)

Shared.losses = losses
sys.exit(main(["train", "stories-gpt", *argv]))
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_text("".join(f"{i} times {i} is {i * i}\n" for i in range(300)), encoding="utf8")
    return str(path)


@pytest.fixture(scope="module")
def alone(text, tmp_path_factory):
    """The folder of the run in one process."""
    folder = tmp_path_factory.mktemp("alone")
    assert train.main(["stories-gpt", "--text", text, *SMALL, "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def several(text, tmp_path):
    """Train in several processes, to which something happens."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf8")

    def run(n, out, *options, what="nothing", rank=1, step=6):
        words = ["--text", text, *SMALL, "--out", out, *options]
        return torchrun(n, script, what, rank, step, *words)

    return run


def losses(folder):
    records = read_growing_log(folder / "stories-gpt.steps.jsonl")[1]
    assert [record.step for record in records] == list(range(1, len(records) + 1))
    return [record.train_loss for record in records]


def same_run(alone, other):
    """Compare files, every loss, and what was measured at the end."""
    assert sorted(path.name for path in other.iterdir()) == WHOLE
    assert len(losses(other)) == STEPS
    assert losses(other) == pytest.approx(losses(alone), rel=0, abs=1e-5)
    logs = [log("stories-gpt", folder) for folder in (alone, other)]
    assert logs[1]["measured"] == pytest.approx(logs[0]["measured"], rel=0, abs=1e-5)
    assert logs[1]["tokens_seen"] == logs[0]["tokens_seen"]


def test_an_interrupt_of_one_stops_all_and_more_may_go_on(several, alone, tmp_path):
    out = tmp_path / "out"
    done = several(2, out, what="interrupt")
    assert done.stdout.count("Stopped after step") == 1, done
    assert "torchrun --nproc-per-node 2 -m course_lib train stories-gpt" in done.stdout
    assert done.stdout.count("making the text") == 1 and "cpu, 2 processes; 9 steps" in done.stdout
    assert len(losses(out)) == 6
    done = several(3, out, "--resume")
    assert done.returncode == 0 and "Going on after step 6." in done.stdout, done
    assert "Warning" not in done.stderr, done
    same_run(alone, out)
    assert log("stories-gpt", out)["processes"] == 3


def begin_alone(monkeypatch, command):
    """Start a run in this process and interrupt it after three steps."""

    def add(self, run, real=RunFiles.add):
        real(self, run)
        if run.state.step == 3:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(RunFiles, "add", add)
        assert train.main(command) == train.STOPPED


@pytest.mark.parametrize(("rank", "every"), [(0, 0), (1, 1000)])  # the first alone can save
def test_a_killed_process_ends_the_run_which_one_alone_can_finish(several, alone, tmp_path, text,
                                                    rank, every, capsys, monkeypatch):  # fmt: skip
    out, options = tmp_path / "out", ["--checkpoint-every", str(every)]
    command = ["stories-gpt", "--text", text, *SMALL, "--out", str(out)]
    if rank:  # and which one has begun
        begin_alone(monkeypatch, command)
        options.append("--resume")
    done = several(2, out, *options, what="kill", rank=rank, step=3 if rank else 6)
    assert done.returncode not in (0, 130)
    said = "ended before its time, so all of it stops here. Step 5 is complete and saved."
    assert done.stdout.count(said) == 1 and "course_lib train stories-gpt" in done.stdout, done
    assert done.stderr.count("Traceback") == 1  # torchrun's own
    assert train.main([*command, "--resume"]) == 0
    assert "Going on after step 5." in capsys.readouterr().out
    same_run(alone, out)


def test_what_only_one_cannot_do_is_said_with_its_number(several, tmp_path):
    done = several(2, tmp_path / "out", what="spoil", rank=1, step=2)
    assert "Process 1: these rows are spoilt" in done.stderr, done
    assert done.stdout.count("A process of this run has ended") == 1


def test_what_all_refuse_is_said_once(several, tmp_path):
    done = several(2, tmp_path / "out", "--resume")
    said = "There is nothing to resume"
    assert done.returncode == 1 and done.stdout.count(said) == 1 and said not in done.stderr, done


def test_a_refusal_is_said_before_anybody_leaves(monkeypatch, capsys):
    heard = []

    class Two(processes.Processes):
        def any(self, flag):  # waits for the others
            heard.append(capsys.readouterr().out)
            return flag

    def refuse(*_):
        raise processes.Refused("that will not do")

    monkeypatch.setattr(train, "_train", refuse)
    for rank, said in enumerate(["that will not do\n", ""]):
        monkeypatch.setattr(processes, "joined", lambda rank=rank: nullcontext(Two(rank, 2)))
        assert train.main(["stories-gpt"]) == 1
        assert heard.pop() == said and not heard


def test_the_command_says_how_many_processes():
    start = "torchrun --nproc-per-node 4 -m course_lib train"
    assert train_commands.recorded(["a", "--resume"], 4) == f"{start} a"
    assert train_commands.going_on(["a"], 4) == f"{start} a --resume"
    assert train_commands.going_on(["a"]) == "python3 -m course_lib train a --resume"


def test_torchrun_of_an_environment_without_the_packages_installs_nothing(monkeypatch, capsys):
    from course_lib.door import commands

    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "x")
    monkeypatch.setattr(commands.pins, "missing", lambda extra="": ["anywidget>=0.9"])
    assert commands.run("train", ["stories-gpt"]) == 1
    said = capsys.readouterr().out
    assert ".venv/bin/torchrun" in said and "lacks anywidget>=0.9" in said
