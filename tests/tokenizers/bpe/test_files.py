import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.tokenizers.bpe import BPETokenizer

TEXT = "one text, another text\x00 中文 中文"


def trained(**changes):
    return BPETokenizer.train(
        TEXT, **{"vocab_size": 275, "special_tokens": ["<|é end|>", "on"], **changes}
    )


@pytest.mark.parametrize(
    "changes", [{}, {"pattern": None}, {"pattern": r"\w+", "tie": "first met"}]
)
def test_saved_and_loaded_it_is_the_same(tmp_path, changes):
    tokenizer = trained(**changes)
    tokenizer.save(tmp_path / "bpe.json")
    loaded = BPETokenizer.load(str(tmp_path / "bpe.json"))
    for name in ("vocab", "merges", "special_tokens", "pattern"):
        assert getattr(loaded, name) == getattr(tokenizer, name)
    assert loaded.encode(TEXT + "<|é end|>") == tokenizer.encode(TEXT + "<|é end|>")
    assert [path.name for path in tmp_path.iterdir()] == ["bpe.json"]


def whole(tmp_path):
    trained().save(tmp_path / "whole.json")
    return (tmp_path / "whole.json").read_bytes()


def test_truncated_anywhere(tmp_path):
    data, path = whole(tmp_path), tmp_path / "cut.json"
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        with pytest.raises(ValueError, match=r"cut\.json is (empty|truncated or damaged): "):
            BPETokenizer.load(path)
    path.write_bytes(data[:-1])
    with pytest.raises(ValueError, match="truncated"):
        BPETokenizer.load(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n", "is no tokenizer file: it starts with"),
        (b"[1, 2]", "is no tokenizer file"),
        (b"{\xff}", "is truncated or damaged"),
        (b'{"model": 1}', r"is JSON, but not written as a course_lib.bpe: \['model'\]"),
        (b'{"format": "course_lib.bpe", "version": 2}', "has version 2, needed is 1"),
        (b'{"format": "course_lib.bpe", "version": 1}', "is damaged: KeyError"),
    ],
)
def test_foreign_files(tmp_path, data, message):
    (tmp_path / "foreign").write_bytes(data)
    with pytest.raises(ValueError, match=f"foreign {message}"):
        BPETokenizer.load(tmp_path / "foreign")


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("merges", [["a"]], "not enough values"),
        ("merges", [["a", "b c"]], "must hold byte characters alone"),
        ("merges", [["t", "zz"]], "merge 0 needs b'zz'"),
        ("vocab", {"a": 1}, "255 are missing"),
        ("vocab", {"a": 1, "b": 1}, "two tokens have the same id"),
        ("vocab", [1], "AttributeError"),
        ("special_tokens", {"x": 97}, "needs an id of its own"),
        ("special_tokens", 3, "TypeError"),
        ("pattern", "(", "pattern must be a regular expression"),
        ("pattern", 3, "pattern must be text or None, got int"),
    ],
)
def test_damaged_parts(tmp_path, unchecked, part, value, message):
    changed = json.loads(whole(tmp_path)) | {part: value}
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed), encoding="utf8")
    with pytest.raises(ValueError, match=rf"changed\.json is damaged: .*{message}"):
        BPETokenizer.load(path)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_half_way_keeps_the_old_file(tmp_path, monkeypatch, step):
    before = whole(tmp_path)

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="disk full"):
        trained(pattern=None).save(tmp_path / "whole.json")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
        trained().save(tmp_path / "nowhere" / "file")


@given(st.lists(st.integers(0, 300), max_size=3, unique=True))
def test_ids_survive_in_any_order(shift):
    vocab = {400 - i: bytes([i]) for i in range(256)}
    special = {f"<{i}>": 500 + n for i, n in enumerate(shift)}
    tokenizer = BPETokenizer(vocab, [], special_tokens=special)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(Path(folder) / "a")
        loaded = BPETokenizer.load(Path(folder) / "a")
    assert loaded.vocab == tokenizer.vocab
    assert loaded.special_tokens == special


def test_json_nested_too_deep_is_named(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"a":' * 100_000, encoding="utf8")
    with pytest.raises(ValueError, match="deep.json is truncated or damaged"):
        BPETokenizer.load(path)
