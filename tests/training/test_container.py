import io
import os
import pickle

import pytest
import safetensors.torch
import torch

from course_lib.training.container import read_container, write_container

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor([7, 8], dtype=torch.int32)}
NOTES = {"step": 3, "rate": 0.1, "text": "é"}


def whole():
    buffer = io.BytesIO()
    write_container(buffer, TENSORS, NOTES)
    return buffer.getvalue()


def test_round_trip_through_path_and_file(tmp_path):
    for target in (tmp_path / "a.safetensors", str(tmp_path / "b")):
        write_container(target, TENSORS, NOTES)
        tensors, notes = read_container(target)
        assert notes == NOTES
        assert all(torch.equal(tensors[k], TENSORS[k]) for k in TENSORS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.safetensors", "b"]
    tensors, notes = read_container(io.BytesIO(whole()))
    assert notes == NOTES
    assert tensors["b"].dtype == torch.int32


def test_truncated_anywhere():
    data = whole()
    for cut in range(len(data)):
        message = "is empty: 0 bytes" if cut == 0 else "is truncated: "
        with pytest.raises(ValueError, match=f"the checkpoint {message}"):
            read_container(io.BytesIO(data[:cut]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 a zip archive", "not a safetensors file"),
        (pickle.dumps({"model": [1.0] * 50}), "not a safetensors file"),
        (b"\x00" * 100, "not a safetensors file"),
        (b"# A text\n\nwith lines\n" * 9, "not a safetensors file"),
        ((5).to_bytes(8, "little") + b"{abc}" + b"1" * 9, "its header cannot be read"),
        ((2).to_bytes(8, "little") + b"{}", "a safetensors file, but not written as"),
        ((7).to_bytes(8, "little") + b'{"a":1}', "its header cannot be read"),
        (safetensors.torch.save(TENSORS), "a safetensors file, but not written as"),
        (safetensors.torch.save(TENSORS, {"format": "pt"}), "but not written as .*'pt'"),
        (whole() + b"x", "damaged: .* bytes where"),
        (whole().replace(b'"version":"1"', b'"version":"2"'), "version '2', .* reads up to 1"),
        (whole().replace(b'"version":"1"', b'"version":"x"'), "version 'x'"),
        (whole().replace(b'"notes"', b'"other"'), "damaged: KeyError"),
        (whole().replace(b'"F32"', b'"F99"'), "damaged: SafetensorError"),
    ],
)
def test_foreign_and_damaged_files(data, message):
    with pytest.raises(ValueError, match=message):
        read_container(io.BytesIO(data))


def test_a_file_in_text_mode(tmp_path):
    path = tmp_path / "text"
    path.write_text("abc", encoding="utf8")
    with open(path, encoding="utf8") as file, pytest.raises(TypeError, match="binary mode"):
        read_container(file)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_half_way_keeps_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "run.safetensors"
    write_container(path, TENSORS, NOTES)
    before = path.read_bytes()

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="disk full"):
        write_container(path, TENSORS, {"step": 4})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_notes_that_json_cannot_hold_write_nothing(tmp_path):
    with pytest.raises(TypeError):
        write_container(tmp_path / "run", TENSORS, {"model": object()})
    assert list(tmp_path.iterdir()) == []


def test_a_link_keeps_pointing(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system does not allow links")
    write_container(link, TENSORS, NOTES)
    assert link.is_symlink()
    assert read_container(real)[1] == NOTES


class _OneByteAtATime(io.BytesIO):
    def write(self, data):
        return super().write(bytes(data[:1000]))


def test_a_file_that_takes_a_part_at_a_time_gets_everything():
    file = _OneByteAtATime()
    write_container(file, {"a": torch.arange(5000)}, {})
    tensors, _ = read_container(io.BytesIO(file.getvalue()))
    assert torch.equal(tensors["a"], torch.arange(5000))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="target must lie in a folder that exists"):
        write_container(tmp_path / "nowhere" / "file", {"a": torch.zeros(1)}, {})
