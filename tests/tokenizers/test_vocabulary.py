import os

import pytest
from bert_oracle import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS, Vocabulary
from course_lib.tokenizers.wordpiece_training import train_vocabulary

TOKENS = [*SPECIAL_TOKENS, "a", "##a", "\u2028", "é"]


def test_a_token_and_its_place():
    vocabulary = Vocabulary(TOKENS)
    assert len(vocabulary) == 9 and vocabulary.tokens == tuple(TOKENS)
    assert [vocabulary.id_of(token) for token in TOKENS] == list(range(9))
    assert [vocabulary.token_of(i) for i in range(9)] == TOKENS
    assert "##a" in vocabulary and "##b" not in vocabulary
    assert vocabulary == Vocabulary(list(TOKENS)) != Vocabulary(TOKENS[:-1])


def test_special_tokens_may_be_fewer_when_asked_for():
    few = Vocabulary(["[UNK]", "a", "[SEP]"], required=["[UNK]"])
    assert few.special_tokens == ("[UNK]", "[SEP]")
    with pytest.raises(ValueError, match=r"token must be in the vocabulary of 3.*'\[PAD\]'"):
        few.id_of("[PAD]")


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([*TOKENS, "a"], r"ids 5 and 9 are both 'a'"),
        (TOKENS[2:], r"must hold \[PAD\], \[UNK\]: not among these 7"),
        ([*TOKENS, ""], "without a line end, got '' for id 9"),
        ([*TOKENS, "b\nc"], r"without a line end, got 'b\\nc' for id 9"),
        ([*TOKENS, "\ud800"], r"no lone surrogate, got '\\ud800' for id 9"),
    ],
)
def test_no_vocabulary(tokens, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(tokens)


@pytest.mark.parametrize("wrong", [-1, 9])
def test_no_such_id(wrong):
    with pytest.raises(ValueError, match=rf"\[0, 9\), got {wrong}"):
        Vocabulary(TOKENS).token_of(wrong)


@given(words=st.sets(st.text(st.characters(codec="utf8", exclude_characters="\r\n"), min_size=1)))
@settings(deadline=None)
def test_saved_and_loaded(tmp_path_factory, words):
    vocabulary = Vocabulary(dict.fromkeys([*SPECIAL_TOKENS, *words]))
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary
    assert path.read_bytes() == "".join(f"{t}\n" for t in vocabulary.tokens).encode("utf8")


def test_a_file_from_windows(tmp_path):
    (tmp_path / "vocab.txt").write_bytes("\ufeff".encode() + "\r\n".join(TOKENS).encode())
    assert Vocabulary.load(tmp_path / "vocab.txt").tokens == tuple(TOKENS)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "vocab.txt must hold one token a line, it is empty"),
        (b"[PAD]\n\na\n", "vocab.txt must hold one token a line, line 2 is empty"),
        (b"[PAD]\n\xff\n", "vocab.txt must be text in UTF-8"),
        ("\n".join(TOKENS[1:]).encode(), r"vocab.txt: tokens must hold \[PAD\]"),
        ("\n".join([*TOKENS, "é"]).encode(), "vocab.txt: tokens must differ.*8 and 9.*'é'"),
    ],
)
def test_no_file_of_tokens(tmp_path, data, message):
    (tmp_path / "vocab.txt").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        Vocabulary.load(tmp_path / "vocab.txt")


def test_a_failed_save_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "vocab.txt"
    Vocabulary(TOKENS).save(path)

    def full(file):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        train_vocabulary(SAMPLE, 300).save(path)
    assert Vocabulary.load(path).tokens == tuple(TOKENS)
    assert [file.name for file in tmp_path.iterdir()] == ["vocab.txt"]
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
        Vocabulary(TOKENS).save(tmp_path / "none" / "vocab.txt")


@pytest.mark.parametrize("token_id", [True, 1.0, "1", None, [1]])
def test_what_is_no_id_is_named(token_id, unchecked):
    with pytest.raises(TypeError, match="token_id must be a whole number, got"):
        Vocabulary(TOKENS).token_of(token_id)


def test_a_first_token_that_looks_like_a_mark_of_the_byte_order(tmp_path):
    vocabulary = Vocabulary(["\ufeff", *TOKENS])
    vocabulary.save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt") == vocabulary
