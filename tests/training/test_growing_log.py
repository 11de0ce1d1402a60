import errno
import io
import json
import os

import pytest

from course_lib.training.growing_log import GrowingLog, read_growing_log
from course_lib.training.loop import StepRecord

RECORDS = [
    StepRecord(1, 3, 1 / 3, 2.5, 1e-3, 0.1, 0.25, None, {"mlm": 0.25, "nsp": 1 / 12},
               {"loss": 2.5, "accuracy": 0.5}),
    StepRecord(2, 3, 0.1 + 0.2, None, 2e-3, 5e-324, 0.5, "text\nof two lines"),
    StepRecord(3, 3, 1e308, 1.0, 3e-3, 1.0, 0.5, "", {}, {"loss": 1.0}),
]  # fmt: skip


def test_what_was_written_is_read_to_the_last_bit(tmp_path):
    path = tmp_path / "log"
    log = GrowingLog(path, {"name": "x", "model": {"d_model": 3}})
    for i, record in enumerate(RECORDS):
        log.add(record)
        # Whoever looks while it grows sees every update so far.
        assert read_growing_log(path) == ({"name": "x", "model": {"d_model": 3}}, RECORDS[: i + 1])
    log.close()


def test_a_resumed_run_begins_with_its_past(tmp_path):
    path = tmp_path / "log"
    path.write_text("what stood there before\n", encoding="utf8")
    log = GrowingLog(path, {}, RECORDS[:2])
    log.add(RECORDS[2])
    log.close()
    assert read_growing_log(path) == ({}, RECORDS)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_last_line_that_a_crash_cut_short_is_left_out(tmp_path, cut):
    path = tmp_path / "log"
    log = GrowingLog(path, {}, RECORDS)
    log.close()
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_growing_log(path) == ({}, RECORDS[:2])


@pytest.mark.parametrize(("text", "said"), [
    ("", "must begin with a line"), ("{}", "must begin with a line"), ("x\n", "damaged"),
    ("3\n", "must begin with what is trained, got 3"), ("{}\nx\n{}\n", "damaged"),
    ('{}\n{"step": 1}\n', "damaged"), ("{}\n7\n", "damaged"),
])  # fmt: skip
def test_what_is_no_log_is_named(tmp_path, text, said):
    path = tmp_path / "some.jsonl"
    path.write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=f"some.jsonl .*{said}"):
        read_growing_log(path)


def test_fields_of_a_later_version_are_passed_over(tmp_path):
    path = tmp_path / "log"
    GrowingLog(path, {}, RECORDS[:1]).close()
    line = json.loads(path.read_text(encoding="utf8").splitlines()[1])
    path.write_text("{}\n" + json.dumps({**line, "new": 3}) + "\n", encoding="utf8")
    assert read_growing_log(path)[1] == RECORDS[:1]


class FullDisk(io.StringIO):
    """A file that takes the beginning of a line and no more."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def write(self, text):
        with open(self.path, "a", encoding="utf8") as file:
            file.write(text[:7])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_remembered_and_made_good(tmp_path):
    path = tmp_path / "log"
    log = GrowingLog(path, {}, RECORDS[:1])
    log._file = FullDisk(path)
    log.add(RECORDS[1])
    assert log.failure.errno == errno.ENOSPC
    log.add(RECORDS[2])  # nothing more is tried
    assert read_growing_log(path)[1] == RECORDS[:1]
    log.secure(RECORDS)
    assert log.failure is None and read_growing_log(path)[1] == RECORDS
    log.close()


def test_securing_brings_the_lines_to_the_disk(tmp_path, monkeypatch):
    log = GrowingLog(tmp_path / "log", {})
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    log.add(RECORDS[0])
    assert synced == []
    log.secure(RECORDS[:1])
    assert synced == [log._file.fileno()]
    log.close()
