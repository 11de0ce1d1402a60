import sys

import pytest
import torch

from course_lib.bench import main, table, training
from course_lib.bench.rounds import Comparison
from course_lib.config import TrainConfig


@pytest.fixture
def measured(monkeypatch):
    """Let the command run without measuring; the fixture sets what it would have measured."""
    seen = {}
    monkeypatch.setattr(training, "both", lambda config: seen.setdefault("sides", fake_sides()))

    def pretend(*steps, **settings):
        seen.update(settings, steps=steps)
        return seen["result"]

    monkeypatch.setattr(training, "compare", pretend)
    return seen


def fake_sides():
    from course_lib.config import tiny_gpt
    from course_lib.models.gpt import GPT
    from course_lib.training.state import TrainState

    return [TrainState.fresh(GPT(tiny_gpt()), TrainConfig(1000)) for _ in range(2)]


@pytest.mark.parametrize(("ours", "status"), [([2.0, 1.0, 3.0], 0), ([0.9, 3.0, 0.5], 1)])
def test_prints_and_returns_what_was_measured(measured, capsys, ours, status):
    measured["result"] = Comparison(ours=ours, theirs=[1.0, 1.0, 1.0])
    assert main(["training", "--steps", "3"]) == status
    printed = capsys.readouterr().out
    assert f"{torch.get_num_threads()} threads, torch {torch.__version__}" in printed
    assert "tokens/s" in printed
    assert "of 3 rounds, range" in printed
    assert (measured["tokens"], measured["n_rounds"], measured["n_steps"]) == (768, 5, 3)
    for step in measured["steps"]:
        step()
    assert [side.step for side in measured["sides"]] == [1, 1]


def test_threads(measured):
    before = torch.get_num_threads()
    measured["result"] = Comparison([1.0], [1.0])
    try:
        main(["training", "--threads", "1"])
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_without_transformers_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert main(["training"]) == 2
    printed = capsys.readouterr().out
    assert "transformers, which is not installed" in printed
    assert 'pip install -e ".[test]"' in printed


@pytest.mark.parametrize("option", ["--rounds", "--steps", "--threads", "--seeds"])
def test_nothing_to_measure_is_named(capsys, option):
    with pytest.raises(SystemExit):
        main([option, "0"])
    assert f"{option} must be >= 1, got 0" in capsys.readouterr().err


def test_without_a_part_all_speeds_stand_in_one_table(monkeypatch, capsys):
    def two(n_rounds, n_steps):
        for name, ours in (("slow", [0.5, 1.0, 0.7]), ("quick", [2.0, 3.0, 4.0])):
            yield f"{name} {n_rounds} {n_steps}", Comparison(ours, [1.0] * 3)

    def missing(n_rounds, n_steps):
        raise ModuleNotFoundError("No module named 'tokenizers'", name="tokenizers")
        yield

    monkeypatch.setattr(table, "PARTS", {"first": two, "second": missing})
    assert main(["--rounds", "3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert training.machine() in printed[0]
    assert printed[2].split() == ["slow", "3", "40", "0.70", "0.50", "to", "1.00", "3"]
    assert printed[3].split() == ["quick", "3", "40", "3.00", "2.00", "to", "4.00", "3"]
    assert printed[4] == 'second: not measured, tokenizers is not installed (extra "test")'


def test_the_table_has_every_part_that_measures_speed():
    assert list(table.PARTS) == ["training", "recipe", "optimizer", "decoding", "tokenizers"]
