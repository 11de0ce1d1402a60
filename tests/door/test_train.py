import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
import torch
from tiny import config

from course_lib import __main__ as door
from course_lib.config import GPTConfig
from course_lib.door import train
from course_lib.door.files import ROOT
from course_lib.models.shipped import load, log
from course_lib.training import recipes
from course_lib.training.growing_log import read_growing_log
from course_lib.training.recipes import gpt_material

WHOLE = ["stories-gpt.json", "stories-gpt.safetensors", "stories-gpt.steps.jsonl"]
SMALL = ["--set", "d_model=8", "n_layers=1", "n_heads=2", "max_seq_len=16", "batch_size=2",
         "eval_batches=1", "eval_every=100"]  # fmt: skip


class Interrupting:
    """A task that is hit by Ctrl-C while it draws the batch of one of the steps."""

    def __init__(self, task, at):
        self.task, self.left = task, at

    def __getattr__(self, name):
        return getattr(self.task, name)

    def draw(self, seq_len, batch_size, generator):
        if batch_size == 3:  # of training; the fingerprint draws more
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGINT)
        return self.task.draw(seq_len, batch_size, generator)


@pytest.fixture
def small(monkeypatch):
    """Make stories-gpt so small that a step takes a millisecond; interrupt it at a step."""

    def make(interrupt_at=None):
        def material(text, ids):
            made = gpt_material(text, ids, n_stories=30, n_held_out=7)
            if interrupt_at is None:
                return made
            return replace(made, task=Interrupting(made.task, interrupt_at))

        recipe = replace(
            recipes.STORIES_GPT, material=material,
            shape=lambda v: GPTConfig(v, 88, d_model=8, n_layers=1, n_heads=2, dropout=0.1),
            settings=config(9), budgets={"minute": 4},
        )  # fmt: skip
        monkeypatch.setitem(recipes.RECIPES, "stories-gpt", recipe)

    make()
    return make


def call(out, *options):
    return train.main(["stories-gpt", "--out", str(out), *options])


def test_it_trains_and_writes_weights_and_log(small, tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert call(out, "--steps", "5", "--seed", "3") == 0
    assert sorted(p.name for p in out.iterdir()) == WHOLE
    made = log("stories-gpt", out)
    assert made["settings"]["total_steps"] == 5 and made["settings"]["seed"] == 3
    # Neither the folder of this machine nor anything else that is not part of the run.
    assert made["command"] == "python3 -m course_lib train stories-gpt --steps 5 --seed 3"
    assert str(tmp_path) not in json.dumps(made)
    assert load("stories-gpt", out).model.config.d_model == 8
    said = capsys.readouterr().out
    assert "step     4 of 5" in said and "held-out loss 5.0" in said and "floor 0.6591" in said


def test_budget_shape_settings_and_ids_can_be_chosen(small, tmp_path, capsys):
    options = ["--budget", "minute", "--ids", "bytes", "--set", "d_model=16", "lr=2e-3",
               "--set", "positions=rotary"]  # fmt: skip
    assert call(tmp_path, *options) == 0
    made = log("stories-gpt", tmp_path)
    assert made["model"]["d_model"] == 16 and made["model"]["d_ff"] == 64
    assert made["model"]["positions"] == "rotary" and made["settings"]["lr"] == 2e-3
    assert made["settings"]["total_steps"] == 4 and made["ids"] == "bytes"
    # Stories are never cut, so the model is made long enough for the longest in bytes.
    assert made["model"]["max_seq_len"] > 200
    assert load("stories-gpt", tmp_path).model.config.vocab_size == 257


def test_interrupted_and_resumed_is_the_same_run(small, tmp_path, capsys):
    assert call(tmp_path / "whole") == 0
    small(interrupt_at=6)
    torch.manual_seed(5)  # the global generator decides nothing
    assert call(tmp_path / "parts") == 130
    said = capsys.readouterr().out
    assert "Stopped after step 6" in said
    assert said.rstrip().endswith(f"stories-gpt --out {tmp_path / 'parts'} --resume")
    assert len(read_growing_log(tmp_path / "parts/stories-gpt.steps.jsonl")[1]) == 6
    small()
    assert call(tmp_path / "parts", "--resume") == 0
    assert "Going on after step 6." in capsys.readouterr().out
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == WHOLE
    same_run(tmp_path / "whole", tmp_path / "parts")


def test_an_interrupt_of_the_last_step_is_too_late(small, tmp_path):
    small(interrupt_at=9)
    assert call(tmp_path) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == WHOLE


def same_run(whole, parts):
    """Compare everything but the times and the day."""
    assert weights(whole).keys() == weights(parts).keys()
    assert all(torch.equal(tensor, weights(parts)[name]) for name, tensor in weights(whole).items())
    logs = [log("stories-gpt", folder) for folder in (whole, parts)]
    for each in logs:
        del each["seconds"], each["date"]
    assert logs[0] == logs[1]
    losses = [[(r.step, r.train_loss, r.measured) for r in read_growing_log(
        folder / "stories-gpt.steps.jsonl")[1]] for folder in (whole, parts)]  # fmt: skip
    assert losses[0] == losses[1] and [step for step, *_ in losses[0]] == list(range(1, 10))


def weights(folder):
    return load("stories-gpt", folder).model.state_dict()


def test_an_unfinished_run_is_neither_lost_nor_mixed_up(small, tmp_path, capsys):
    small(interrupt_at=6)
    call(tmp_path)
    small()
    before = (tmp_path / "stories-gpt.checkpoint").read_bytes()
    with pytest.raises(ValueError, match=r"unfinished run, at step 6. Add --resume .* --restart"):
        call(tmp_path)
    for options, named in [
        (["--set", "lr=1e-3"], r"lr=0.001 \(saved 0.003\)"),
        (["--seed", "1"], r"seed=1 \(saved 0\)"),
        (["--steps", "11"], r"total_steps=11 \(saved 9\)"),
        (["--set", "d_model=16"], r"d_model=16 \(saved 8\)"),
        (["--ids", "bytes"], r"ids=bytes \(saved words\)"),
        (["--bf16"], r"bf16=True \(saved False\)"),
    ]:
        with pytest.raises(ValueError, match=named):
            call(tmp_path, "--resume", *options)
        assert (tmp_path / "stories-gpt.checkpoint").read_bytes() == before
    assert call(tmp_path, "--restart") == 0
    assert log("stories-gpt", tmp_path)["command"].endswith("train stories-gpt")


def test_another_text_of_the_same_name_is_another_run(small, tmp_path, monkeypatch):
    small(interrupt_at=6)
    call(tmp_path)
    changed = replace(recipes.RECIPES["stories-gpt"],
                      material=partial(gpt_material, n_stories=29, n_held_out=7))  # fmt: skip
    monkeypatch.setitem(recipes.RECIPES, "stories-gpt", changed)
    with pytest.raises(ValueError, match="with text_fingerprint="):
        call(tmp_path, "--resume")


def test_nothing_to_resume_is_said(small, tmp_path):
    with pytest.raises(ValueError, match="nothing to resume: no stories-gpt.checkpoint"):
        call(tmp_path, "--resume")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [0, 5, 300, -1])
def test_a_truncated_checkpoint_is_one_sentence(small, tmp_path, left):
    small(interrupt_at=6)
    call(tmp_path)
    small()
    path = tmp_path / "stories-gpt.checkpoint"
    path.write_bytes(path.read_bytes()[:left])
    for options in ([], ["--resume"]):
        with pytest.raises(ValueError, match=r"stories-gpt.checkpoint.* (truncated|empty)"):
            call(tmp_path, *options)
    assert call(tmp_path, "--restart") == 0


def test_without_its_log_a_run_goes_on_all_the_same(small, tmp_path):
    small(interrupt_at=6)
    call(tmp_path)
    small()
    (tmp_path / "stories-gpt.steps.jsonl").write_text("not a log", encoding="utf8")
    assert call(tmp_path, "--resume") == 0
    assert [r.step for r in read_growing_log(tmp_path / "stories-gpt.steps.jsonl")[1]] == [7, 8, 9]
    assert log("stories-gpt", tmp_path)["steps"] == [8, 9]


def test_a_full_disk_does_not_stop_a_training(small, tmp_path, capsys, monkeypatch):
    """The disk is full for a while; then all that was kept in memory is written after all."""
    calls, real = [], os.fsync

    def fsync(number):
        calls.append(number)
        if 5 <= len(calls) < 12:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    assert call(tmp_path, "--checkpoint-every", "0") == 0
    said = capsys.readouterr().out
    assert said.count("No space left on device") == 1 and "training goes on" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == WHOLE
    records = read_growing_log(tmp_path / "stories-gpt.steps.jsonl")[1]
    assert [r.step for r in records] == list(range(1, 10))


def test_a_disk_full_at_the_end_is_one_sentence_and_the_checkpoint_stays(
    small, tmp_path, capsys, monkeypatch
):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("course_lib.models.shipped.files.replace_file", fail)
    assert call(tmp_path) == 1
    said = capsys.readouterr().out
    assert "No space left on device" in said and "--resume" in said
    assert (tmp_path / "stories-gpt.checkpoint").is_file()
    monkeypatch.undo()
    small()
    assert call(tmp_path, "--resume") == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == WHOLE


DYING = """
import os, signal, sys
from course_lib.door import train, train_progress

def die(*_):  # on Windows, SIGTERM is TerminateProcess: like SIGKILL, it cannot be caught
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

def fsync(number):
    os.fsync = die  # the log is written, the checkpoint is not yet

def record(self, record, real=train_progress.Lines.record):
    if record.step == 7:
        os.fsync = fsync
    real(self, record)

if sys.argv.pop(1) == "die":
    train_progress.Lines.record = record
sys.exit(train.main(sys.argv[1:]))
"""


def process(moment, out, *options):
    """The command in a process of its own, without the hook that checks types."""
    return subprocess.run(
        [sys.executable, "-c", DYING, moment, "stories-gpt", "--out", str(out), *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip


def test_killed_and_resumed_is_the_same_run(tmp_path):
    text = tmp_path / "text"
    text.write_text("".join(f"{i} times {i} is {i * i}\n" for i in range(300)), encoding="utf8")
    options = ["--text", str(text), *SMALL, "--steps", "9", "--checkpoint-every", "0"]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert process("never", whole, *options).returncode == 0
    killed = process("die", parts, *options)
    assert killed.returncode not in (0, 1) and killed.stderr == ""  # no exception, a dead process
    assert len(read_growing_log(parts / "stories-gpt.steps.jsonl")[1]) == 7
    resumed = process("never", parts, "--resume", *options)
    assert "Going on after step 6." in resumed.stdout, resumed
    same_run(whole, parts)


@pytest.mark.parametrize(("options", "said"), [
    (["--steps", "0"], "--steps must be a whole number >= 1, got 0"),
    (["--seed", "-1"], "--seed must be a whole number >= 0, got -1"),
    (["--threads", "0"], "--threads must be a whole number >= 1, got 0"),
    (["--checkpoint-every", "-1"], "--checkpoint-every must be >= 0 seconds, got -1.0"),
    (["--checkpoint-every", "nan"], "--checkpoint-every must be >= 0 seconds, got nan"),
    (["--device", "tpu"], "device must be one of cpu, cuda, mps, got 'tpu'"),
    (["--budget", "coffee"], "stories-gpt must be given one of its budgets (minute), got"),
    (["--ids", "letters"], "ids must be one of bytes, bpe, words for the stories"),
    (["--text", "no/such/file"], "or the path of a file; there is no file 'no/such/file'"),
    (["--set", "d_modle=3"], "did you mean d_model?"),
    (["--set", "d_model=9"], "d_model must be divisible by n_heads"),
    (["--set", "lr=-1"], "lr must be a finite number >= 0, got -1"),
    (["--set", "seed=3"], "cannot change seed: use --seed"),
    (["--set", "d_model"], "--set takes NAME=VALUE, such as d_model=192, got 'd_model'"),
])  # fmt: skip
def test_a_wrong_option_is_one_sentence(small, tmp_path, options, said, capsys):
    assert door.main(["train", "stories-gpt", "--out", str(tmp_path), *options]) == 1
    assert said in capsys.readouterr().out.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_recipe_names_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        train.main(["storys"])
    assert "stories-gpt" in capsys.readouterr().err


def test_where_there_is_a_terminal_a_bar_moves(small, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert call(tmp_path) == 0
    out, err = capsys.readouterr()
    assert "9/9" in err and "step/s" in err and "step     9 of 9" in out


def test_after_a_long_silence_there_is_a_line_too(small, tmp_path, capsys, monkeypatch):
    call(tmp_path)
    assert "step     5 of 9" not in capsys.readouterr().out  # looks are at 1, 4, 8 and 9
    monkeypatch.setattr("course_lib.door.train_progress._SILENCE", 0.0)
    call(tmp_path)
    assert "step     5 of 9  train 5" in capsys.readouterr().out


@pytest.mark.parametrize(("argv", "recorded"), [
    (["a", "--resume"], "a"),
    (["a", "--out", "some/where", "--restart"], "a --out some/where"),
    (["a", f"--out={ROOT}"], "a"),
    (["a", "--text", str(ROOT / "my notes"), "--seed", "2"], "a --text 'my notes' --seed 2"),
])  # fmt: skip
def test_the_log_keeps_no_place_of_this_machine(argv, recorded):
    assert train.recorded(argv) == f"python3 -m course_lib train {recorded}"
    assert train.going_on(["a", "--resume", "--out", "b"]).endswith("train a --out b --resume")
