import ast
import sysconfig
import time

import pytest

from course_lib.data.corpora import python_source, python_text, two_parts


def names(held_out, n):
    """File names that fall into one part or the other."""
    candidates = (f"module_{i}.py" for i in range(10_000))
    return [name for name in candidates if two_parts.is_held_out(name) == held_out][:n]


def write_library(root, texts):
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf8"))


def lines_about(subject, n=40):
    return "".join(f"value_{i} = compute_{subject}(argument_{i})\n" for i in range(n))


@pytest.fixture
def no_topics(monkeypatch):
    monkeypatch.setattr(python_source, "_manual_topics", dict)


@pytest.fixture(scope="module")
def corpus():
    return python_text()


def test_fields_and_sizes(corpus):
    assert corpus.licence.startswith("Python Software Foundation")
    assert 800_000 < len(corpus.train) <= 900_000
    assert 80_000 < len(corpus.validation) <= 100_000
    assert corpus.train.count(b"def ") > 1000
    assert corpus.validation.count(b"def ") > 100


def test_loads_fast_and_the_same_each_time(corpus):
    start = time.perf_counter()
    assert python_text() == corpus
    assert time.perf_counter() - start < 3


def test_parts_do_not_overlap(corpus):
    trained = two_parts.long_lines(corpus.train)
    held_out = two_parts.long_lines(corpus.validation)
    assert len(held_out & trained) / len(held_out) < 0.1  # measured: about 0.03
    longest = max(corpus.validation.split(b"\n\n"), key=len)
    assert longest not in corpus.train


def test_nothing_of_this_machine_inside(corpus):
    both = corpus.train + corpus.validation
    assert sysconfig.get_path("stdlib").encode() not in both
    assert b"\r" not in both
    both.decode("utf8")


def test_both_kinds_of_text_are_there(corpus):
    assert b"*************" in corpus.train  # underlined headings of the manual
    assert b"import sys\n" in corpus.train


def test_held_out_by_path_alone(tmp_path, no_topics):
    train, held_out = names(False, 6), names(True, 2)
    texts = {name: lines_about(name[:-3]) for name in train + held_out}
    write_library(tmp_path, texts)
    found = python_text(100_000, tmp_path)
    assert all(texts[name].encode() in found.train for name in train)
    assert all(texts[name].encode() in found.validation for name in held_out)
    assert len(found.train) == sum(len(texts[name]) for name in train)
    assert len(found.validation) == sum(len(texts[name]) for name in held_out)


def test_copies_are_dropped_from_validation(tmp_path, no_topics):
    train, (fresh, copy, near_copy) = names(False, 1)[0], names(True, 3)
    original = lines_about("original")
    changed = original.replace("value_1", "other_1")  # about a quarter of the lines
    texts = {train: original, copy: original, near_copy: changed, fresh: lines_about("fresh")}
    write_library(tmp_path, texts)
    assert python_text(100_000, tmp_path).validation == texts[fresh].encode()


def test_left_out(tmp_path, no_topics):
    train, held_out = names(False, 1)[0], names(True, 1)[0]
    wanted = {train: lines_about("a"), held_out: lines_about("b")}
    unwanted = ["test/x.py", "idlelib/x.py", "a/tests/x.py", "site-packages/torch/x.py",
                "config-3.12-linux/x.py", "_sysconfigdata__linux.py", "sitecustomize.py",
                "notes.txt"]  # fmt: skip
    write_library(tmp_path, {**wanted, **dict.fromkeys(unwanted, "unwanted = 1\n" * 9)})
    write_library(tmp_path, {"latin.py": "# caf\u00e9 unwanted\n".encode("latin-1")})
    found = python_text(100_000, tmp_path)
    assert b"unwanted" not in found.train + found.validation


def test_line_ends_become_bare_line_feeds(tmp_path, no_topics):
    train, held_out = names(False, 1)[0], names(True, 1)[0]
    windows = {train: lines_about("a"), held_out: lines_about("b").removesuffix("\n")}
    write_library(tmp_path, {n: t.replace("\n", "\r\n") for n, t in windows.items()})
    found = python_text(100_000, tmp_path)
    assert found.train == lines_about("a").encode()
    assert found.validation == lines_about("b").encode()


def test_budget_and_long_files(tmp_path, no_topics):
    train, held_out = names(False, 3), names(True, 2)
    write_library(tmp_path, {n: lines_about(n[:-3], 2000) for n in train + held_out})
    found = python_text(50_000, tmp_path)
    assert 44_000 < len(found.train) <= 45_000
    assert 4_000 < len(found.validation) <= 5_000
    found = python_text(10**6, tmp_path)
    assert len(found.train) <= 3 * python_source._LONGEST_PIECE
    ast.parse(found.train)  # cut at line ends only


def test_no_source(tmp_path):
    with pytest.raises(FileNotFoundError, match="no .py files of the standard library in"):
        python_text(stdlib=tmp_path)
    with pytest.raises(FileNotFoundError, match="no .py files"):
        python_text(stdlib=tmp_path / "python311.zip")


def test_too_little(tmp_path, no_topics):
    write_library(tmp_path, {names(False, 1)[0]: lines_about("a")})
    with pytest.raises(ValueError, match="validation must not be empty"):
        python_text(100_000, tmp_path)
    with pytest.raises(ValueError, match="max_bytes must be a whole number >= 1000, got 0"):
        python_text(0)
