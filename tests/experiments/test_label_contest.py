import json
import statistics

import pytest

from course_lib.experiments.label_contest import FULL, SCRATCH, interval, recorded_contest


def entry(contestant, n, scores):
    return {"task": "pair", "contestant": contestant, "n_labels": n, "rate": 1e-3,
            "tried": {"0.001": 0.5}, "scores": scores}  # fmt: skip


def written(path, **changes):
    entries = [entry(FULL, 1000, [0.8, 0.9]), entry(FULL, 100, [0.5, 0.6]),
               entry(SCRATCH, 100, [0.4, 0.4]), entry(SCRATCH, 1000, [0.7, 0.9])]  # fmt: skip
    found = dict(
        entries=entries, spread={"0.001": [0.5, 0.7]}, epochs={"2": [0.6, 0.6]},
        spread_task="single", spread_labels=100, epoch_task="pair", epoch_labels=1000,
        steps={"pair": 9}, batch=2, n_held_out=5, command="c", date="d", machine="m",
    )  # fmt: skip
    path.write_text(json.dumps({**found, **changes}), encoding="utf8")
    return path


def test_the_file_comes_back_in_order(tmp_path):
    contest = recorded_contest(written(tmp_path / "c.json"))
    assert [e.n_labels for e in contest.of("pair", FULL)] == [100, 1000]
    assert contest.gains("pair") == pytest.approx({100: 0.15, 1000: 0.05})
    assert contest.steps == {"pair": 9}
    assert contest.spread == {"0.001": (0.5, 0.7)} and contest.epochs == {2: (0.6, 0.6)}


def test_what_only_one_of_two_has_run_is_no_gain(tmp_path):
    entries = [entry(FULL, 100, [0.5]), entry(FULL, 1000, [0.9]), entry(SCRATCH, 1000, [0.6]),
               entry(SCRATCH, 10, [0.3])]  # fmt: skip
    contest = recorded_contest(written(tmp_path / "c.json", entries=entries))
    assert contest.gains("pair") == pytest.approx({1000: 0.3})


def test_the_interval_is_student_s():
    scores = [0.5, 0.6, 0.7, 0.8, 0.9]
    half = 2.776 * statistics.stdev(scores) / 5**0.5
    assert interval(scores) == pytest.approx((0.7 - half, 0.7 + half))
    assert interval([0.4]) == (0.4, 0.4)
    assert interval([0.4, 0.6] * 8)[1] > 0.5 + 1.96 * statistics.stdev([0.4, 0.6] * 8) / 4


@pytest.mark.parametrize("broken", [{"entries": 3}, {"more": 1}, {"epochs": {"two": [1]}}])
def test_another_file_is_refused(tmp_path, broken):
    with pytest.raises(ValueError, match="c.json is no recorded contest"):
        recorded_contest(written(tmp_path / "c.json", **broken))
    with pytest.raises(ValueError, match="d.json is missing: bench --fine-tuning makes it"):
        recorded_contest(tmp_path / "d.json")
