import os

import pytest

from course_lib.whole_file import replace_file


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "file.txt"
    for data in (b"first\n", b"\xff second"):
        replace_file(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_whatever_stops_it_the_old_file_is_whole(tmp_path, monkeypatch, step):
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")

    def stopped(*_):
        assert path.read_bytes() == b"old"
        raise OSError("the disk is full")

    monkeypatch.setattr(os, step, stopped)
    with pytest.raises(OSError, match="the disk is full"):
        replace_file(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists, got"):
        replace_file(tmp_path / "none" / "file.txt", b"")
    with pytest.raises(FileNotFoundError, match="target must lie"):
        replace_file(tmp_path / "none" / "file.txt", b"", "target")
