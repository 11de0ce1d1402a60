import json
from dataclasses import asdict

import pytest

from course_lib.bench import ablation, main
from course_lib.bench.ablation import CANDIDATES, RECIPE, REFERENCE, Candidate
from course_lib.bench.recipe import Text, ours, reference
from course_lib.optim.muon import Muon

TEXT = Text.of("twenty words", b"the cat sat on the mat and then it ran. " * 60)
SMALL = (
    Candidate(RECIPE, "the whole recipe"),
    Candidate(REFERENCE, "rotary positions", dict(positions="rotary")),
)


def test_the_things_themselves_are_those_of_the_comparison():
    whole = [v for v in CANDIDATES if not v.model and not v.training]
    assert [v.start for v in whole] == [RECIPE, REFERENCE]
    for variant, make in zip(whole, (ours, reference), strict=True):
        mine, theirs = variant.state(2000, 0), make(2000, 0)
        assert mine.config == theirs.config
        for name in ("d_model", "n_layers", "max_seq_len"):
            assert getattr(mine.model.config, name) == getattr(theirs.model.config, name)


def test_each_variant_differs_from_its_start_and_from_all_others():
    made = [v.state(30, 0) for v in CANDIDATES]
    settings = {str((asdict(s.model.config), asdict(s.config))) for s in made}
    assert len(settings) == len(CANDIDATES) == len({v.name for v in CANDIDATES})
    for variant, state in zip(CANDIDATES, made, strict=True):
        assert isinstance(state.optimizer, Muon) == (state.config.optimizer != "adamw")
        assert variant.start in (RECIPE, REFERENCE)


def test_the_file_says_what_was_measured_and_how(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(ablation, "CANDIDATES", SMALL)
    out = tmp_path / "found.json"
    assert ablation.run(TEXT, 2, 3, out, "the command") == 0
    found = json.loads(out.read_text(encoding="utf8"))
    assert found["command"] == "the command" and found["seeds"] == [0, 1] and found["steps"] == 3
    assert found["text"] == "twenty words" and "torch" in found["machine"]
    assert [v["name"] for v in found["variants"]] == ["the whole recipe", "rotary positions"]
    assert [v["model"] for v in found["variants"]] == [{}, {"positions": "rotary"}]
    for variant in found["variants"]:
        assert len(set(variant["losses"])) == 2 and all(1 < x < 5.7 for x in variant["losses"])
    assert "rotary positions" in capsys.readouterr().out


def test_after_each_seed_the_file_is_whole(monkeypatch, tmp_path):
    monkeypatch.setattr(ablation, "CANDIDATES", SMALL[:1])
    out, one_seed = tmp_path / "found.json", ablation._one_seed

    def stop_at_the_second(text, seed, steps, losses):
        if seed == 1:
            raise KeyboardInterrupt
        yield from one_seed(text, seed, steps, losses)

    monkeypatch.setattr(ablation, "_one_seed", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        ablation.run(TEXT, 3, 2, out, "the command")
    assert json.loads(out.read_text(encoding="utf8"))["seeds"] == [0]


def test_the_command_hands_everything_on(monkeypatch, tmp_path):
    (tmp_path / "own.txt").write_text("line\n" * 400, encoding="utf8")
    seen = []
    monkeypatch.setattr(ablation, "run", lambda *given: seen.append(given) or 0)
    argv = ["--ablation", "--seeds", "2", "--text", str(tmp_path / "own.txt"), "--out", "x.json"]
    assert main(argv) == 0
    ((text, seeds, steps, out, command),) = seen
    assert (text.name, seeds, steps, out.name) == ("own.txt", 2, 400, "x.json")
    assert command == " ".join(("python3 -m course_lib bench", *argv))
