import pytest
import torch

from course_lib.bench import decoding, main
from course_lib.config import GPTConfig

TINY = decoding.Task("tiny", GPTConfig(37, 40, d_model=12, n_layers=2, n_heads=3), 5)


def test_both_write_the_same_text():
    ours, theirs = decoding.both(TINY)
    assert torch.equal(ours(), theirs()) and ours().shape == (1, decoding.N_PROMPT + 5)


def test_other_weights_are_not_compared(monkeypatch):
    monkeypatch.setattr(decoding, "load_gpt2", lambda model, weights: None)
    torch.manual_seed(1)
    with pytest.raises(ValueError, match="both must write the same text"):
        for _ in range(5):  # two random models may agree once
            decoding.both(TINY)


@pytest.mark.parametrize(("ours", "status"), [([2.0, 1.0, 3.0], 0), ([0.9, 3.0, 0.5], 1)])
def test_prints_and_returns_what_was_measured(monkeypatch, capsys, ours, status):
    monkeypatch.setattr(decoding, "TASKS", (TINY,))
    seen = {}

    def pretend(first, second, **settings):
        seen.update(settings)
        return decoding.Comparison(ours, [1.0, 1.0, 1.0])

    monkeypatch.setattr(decoding, "compare", pretend)
    assert main(["decoding", "--rounds", "3"]) == status
    printed = capsys.readouterr().out
    assert "tiny" in printed and "of 3 rounds, range" in printed
    assert (seen["tokens"], seen["n_rounds"]) == (5, 3)


def test_without_transformers_it_says_what_to_install(monkeypatch, capsys):
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    assert main(["decoding"]) == 2
    assert ".[test]" in capsys.readouterr().out
