"""What recorded files say of themselves, and that none is half-written."""

import json

import pytest

from course_lib.bench.record import circumstances, write


def test_a_record_says_by_which_command_when_and_where():
    said = circumstances("python3 -m course_lib bench --topics")
    assert said["command"] == "python3 -m course_lib bench --topics"
    assert list(said) == ["command", "date", "machine"]
    assert "cores" in said["machine"] and "torch" in said["machine"]


def test_it_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "found.json"
    write(out, {"a": [1, 2]})
    with pytest.raises(TypeError):
        write(out, {"a": object()})
    assert json.loads(out.read_text(encoding="utf8")) == {"a": [1, 2]}
    assert list(tmp_path.iterdir()) == [out]
