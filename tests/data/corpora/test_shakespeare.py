import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.data.corpora import shakespeare
from course_lib.data.corpora.shakespeare import ABOUT, FILE, tiny_shakespeare

PLAY = b"First Citizen:\nBefore we proceed any further, hear me speak.\n\n" * 50


@pytest.fixture
def a_play(monkeypatch, tmp_path):
    """Another play in place of the real one, in a folder in place of the network."""
    (tmp_path / "input.txt").write_bytes(PLAY)
    pinned = replace(FILE, url=(tmp_path / "input.txt").as_uri(), n_bytes=len(PLAY),
                     sha256=hashlib.sha256(PLAY).hexdigest())  # fmt: skip
    monkeypatch.setattr(shakespeare, "FILE", pinned)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_what_is_pinned():
    assert FILE.n_bytes == ABOUT.n_bytes == 1_115_394
    assert FILE.sha256 == "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
    assert FILE.url.startswith("https://") and ABOUT.source.split(",")[0].endswith("char-rnn")
    assert int(FILE.n_bytes * 0.9) == 1_003_854  # what nanoGPT's script prints


def test_loaded_once_and_cut_at_nine_tenths(a_play):
    corpus = tiny_shakespeare()
    assert corpus.train + corpus.validation == PLAY
    assert len(corpus.train) == int(len(PLAY) * 0.9)
    (a_play / "input.txt").unlink()
    assert tiny_shakespeare() == corpus
    assert os.listdir(a_play / "cache") == ["tinyshakespeare.txt"]


def test_offline_the_message_says_what_to_do(a_play):
    (a_play / "input.txt").unlink()
    with pytest.raises(ConnectionError, match=r'cannot load file:.*tinyshakespeare.txt, or take a '
                       r'text that needs none: corpus\("python"\)'):
        tiny_shakespeare()
    assert os.listdir(a_play / "cache") == []


def test_the_file_can_be_put_there_by_hand(a_play):
    (a_play / "input.txt").unlink()
    Path(a_play, "cache").mkdir()
    Path(a_play, "cache", "tinyshakespeare.txt").write_bytes(PLAY)
    assert tiny_shakespeare().train.startswith(b"First Citizen:")
