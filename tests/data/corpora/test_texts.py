import importlib.metadata
from pathlib import Path

import pytest
from optional_packages import needs

from course_lib.data import corpora, download
from course_lib.data.corpora import TEXTS, corpus, python_source, table
from course_lib.data.corpora.two_parts import Corpus
from course_lib.door.files import ROOT


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("a line of my own\n" * 200, encoding="utf8")
    return path


@pytest.mark.parametrize(
    "name", ["python", *(pytest.param(n, marks=needs(n)) for n in ("wikipedia", "web-bible"))]
)
def test_a_name(name):
    found, about = corpus(name, 50_000), TEXTS[name].about
    assert isinstance(found, Corpus)
    assert (found.name, found.licence, found.source, found.attribution) == (
        about.name, about.licence, about.source, about.attribution)  # fmt: skip
    assert 43_000 < len(found.train) <= 45_000 and 3_500 < len(found.validation) <= 5_000


def test_python_text_is_the_default_size():
    assert corpus("python") == python_source.python_text() == corpora.python_text()


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_of_ones_own(kind, lines):
    found = corpus(kind(lines), 2000)
    assert found.name == "mine.txt" and 1_900 < len(found.train + found.validation) <= 2000


def test_a_name_goes_before_a_file_and_a_path_is_always_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("python").write_text("not the library\n" * 99, encoding="utf8")
    assert corpus("python", 20_000).name == TEXTS["python"].about.name
    assert corpus(Path("python")).train.startswith(b"not the library\n")


def test_what_is_neither_a_name_nor_a_file(tmp_path, as_shipped):
    with pytest.raises(ValueError, match="text must be one of python, wikipedia, web-bible, "
                       "tiny-shakespeare, or the path of a file; there is no file 'wikipaedia'"):
        corpus("wikipaedia")
    with pytest.raises(FileNotFoundError, match="text must be the path of a file"):
        corpus(tmp_path / "none.txt")
    with pytest.raises(TypeError, match="text must be a name or a path, got int"):
        as_shipped(corpus)(3)
    with pytest.raises(ValueError, match="max_bytes must be a whole number >= 1000, got 0"):
        corpus("python", 0)


def test_the_table_loads_nothing(monkeypatch):
    def loads(*arguments, **options):
        raise AssertionError("the table loads something")

    monkeypatch.setattr(importlib.metadata, "files", loads)
    monkeypatch.setattr(download, "fetch", loads)
    monkeypatch.setattr("builtins.open", loads)
    monkeypatch.setattr(Path, "read_bytes", loads)
    head, *rows = table().splitlines()
    assert head.split() == ["name", "text", "bytes", "licence", "comes"]
    assert [row.split()[0] for row in rows] == list(TEXTS)
    assert "4,905,601  CC BY-SA 4.0" in rows[1] and 'extra "text"' in rows[1]
    starts = {(row.index(about.licence), row.index(about.comes))
              for row, (about, _) in zip(rows, TEXTS.values(), strict=True)}
    assert len(starts) == 1 and max(map(len, rows)) < 128


def test_readme_names_every_text_with_author_licence_and_attribution():
    rows = [line for line in (ROOT / "README.md").read_text(encoding="utf8").splitlines()
            if line.startswith("|")]
    for key, (about, _) in TEXTS.items():
        (row,) = [row for row in rows if row.startswith(f"| `{key}` |")]
        for field in (about.name, about.author, about.licence, about.attribution):
            assert field in row
