import os

import pytest

from course_lib.door.files import Progress, write_atomically


def test_content_replaces_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf8")
    write_atomically(path, "é new\n")
    assert path.read_bytes() == "é new\n".encode()
    assert os.listdir(tmp_path) == ["a.txt"]


def test_old_file_stays_when_writing_breaks_off(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf8")

    def interrupted(fd):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text(encoding="utf8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_progress_tells_the_seconds(capsys):
    Progress().say("Doing it")
    assert capsys.readouterr().out == "[    0 s] Doing it\n"
