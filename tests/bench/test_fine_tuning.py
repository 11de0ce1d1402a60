import json
from types import SimpleNamespace

import pytest

from course_lib.bench import command, fine_tuning
from course_lib.config import BertConfig
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments.fine_tuning import untrained
from course_lib.experiments.label_contest import CONTESTANTS, RIVAL, recorded_contest

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.fixture
def small(monkeypatch):
    """A tiny encoder, few labels, and the numbers of runs that were made."""
    shape = BertConfig(story_tokenizer().vocab_size, 96, d_model=8, n_layers=1, n_heads=2)
    loaded, runs = [], []
    real = fine_tuning.fine_tune

    def counted(*args, **kwargs):
        runs.append(args)
        return real(*args, **kwargs)

    def load(name):
        loaded.append(name)
        return SimpleNamespace(model=untrained(shape))

    monkeypatch.setattr(fine_tuning, "load", load)
    monkeypatch.setattr(fine_tuning, "fine_tune", counted)
    monkeypatch.setattr(fine_tuning, "held_out", lambda task: fine_tuning.story_labels(task, 20, 9))
    for name, value in dict(
        SIZES=(24,), CHOICE_LABELS=24, STORY_TASKS=("pair", "tags"), N_HELD_OUT=20,
        SPREAD_LABELS=24, SPREAD_SEEDS=2, EPOCH_LABELS=32, EPOCHS=(1, 2),
    ).items():  # fmt: skip
        monkeypatch.setattr(fine_tuning, name, value)
    return runs


def test_every_contestant_chooses_among_three_rates_and_runs_every_seed(small, tmp_path, capsys):
    out = tmp_path / "f.json"
    assert command.main(["--fine-tuning", "--seeds", "2", "--steps", "2", "--out", str(out)]) == 0
    contest = recorded_contest(out)
    assert {(e.task, e.contestant) for e in contest.entries} == {
        (task, contestant) for task in ("pair", "tags") for contestant in CONTESTANTS
    }
    for entry in contest.entries:
        if entry.contestant == RIVAL:
            assert entry.rate is None and len(entry.scores) == 1
        else:
            assert entry.rate in fine_tuning.RATES and len(entry.scores) == 2
            assert len(entry.tried) == 3
            assert entry.tried[f"{entry.rate:g}"] == max(entry.tried.values())
    assert {rate: len(scores) for rate, scores in contest.spread.items()} == {
        f"{rate:g}": 2 for rate in fine_tuning.RATES
    }
    assert {n: len(scores) for n, scores in contest.epochs.items()} == {1: 2, 2: 2}
    assert contest.command.startswith("python3 -m course_lib bench --fine-tuning")
    assert len(small) == 2 * 3 * (3 + 2) + 3 * 2 + 2 * 2
    assert capsys.readouterr().out.count("labels:") == 8


def test_a_run_that_was_stopped_goes_on(small, tmp_path):
    out = tmp_path / "f.json"
    assert fine_tuning.run(2, 1, out, "c") == 0
    whole = json.loads(out.read_text(encoding="utf8"))
    cut = {**whole, "entries": whole["entries"][:5], "epochs": {}}
    out.write_text(json.dumps(cut), encoding="utf8")
    small.clear()
    assert fine_tuning.run(2, 1, out, "c") == 0
    again = json.loads(out.read_text(encoding="utf8"))
    assert again == whole and len(small) == 2 * (3 + 2) + 2 * 2
    with pytest.raises(ValueError, match="out must be a new file or one of the same command"):
        fine_tuning.run(2, 1, out, "another")
