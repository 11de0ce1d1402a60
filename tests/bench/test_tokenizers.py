import sys

import pytest

from course_lib.bench import main, tokenizers
from course_lib.bench.rounds import Comparison
from course_lib.bench.tokenizers import Row


@pytest.fixture
def small(monkeypatch):
    pytest.importorskip("tokenizers")
    for name, value in {"N_MERGES": 40, "N_CHARACTERS": 20_000, "SMALL": (2_000, 5)}.items():
        monkeypatch.setattr(tokenizers, name, value)


def test_all_of_it_on_a_small_text(small, capsys):
    assert main(["tokenizers", "--rounds", "1"]) in (0, 1)
    printed = capsys.readouterr().out
    assert printed.count("ours / theirs") == 3
    assert "best of 1 interleaved rounds; 20,000 characters" in printed
    assert "5 merges on 2,000 characters" in printed
    for step in ("naive loop", "words counted once", "touched pairs updated"):
        assert step in printed


@pytest.mark.parametrize(("speed", "status"), [(1.0, 0), (0.51, 0), (0.49, 1)])
def test_the_status_says_whether_every_limit_was_kept(small, monkeypatch, capsys, speed, status):
    def pretend(ours, theirs, *, n_rounds, n_steps, **_):
        assert (n_rounds, n_steps) == (5, 1)
        return Comparison([speed / 2, speed, speed / 3], [1.0, 0.5, 0.25])  # the best counts

    monkeypatch.setattr(tokenizers, "compare", pretend)
    assert main(["tokenizers"]) == status
    assert ("OVER" in capsys.readouterr().out) == bool(status)


def test_both_must_have_done_the_same(small, monkeypatch):
    theirs, merges = tokenizers.train_theirs("some text " * 9)
    monkeypatch.setattr(tokenizers, "train_theirs", lambda text: (theirs, merges))
    with pytest.raises(ValueError, match="both sides must do the same"):
        main(["tokenizers"])


def test_without_tokenizers_it_says_what_to_install(small, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert main(["tokenizers"]) == 2
    assert "Hugging Face tokenizers, which is not installed" in capsys.readouterr().out


def test_a_row():
    row = Row("encoding", ours=3.0, theirs=2.0, limit=2.0)
    assert row.ratio == 1.5
    assert str(row).endswith("3.00 s    2.00 s   ours / theirs 1.50, within 2")
