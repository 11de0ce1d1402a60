"""Ours and transformers', in the published shapes."""

import dataclasses
import json
from types import SimpleNamespace

import pytest
import torch
from optional_packages import needs

from course_lib.bench import agreement, main
from course_lib.config import GPT2_SIZES
from course_lib.experiments.inside import look_inside
from course_lib.experiments.published_answers import FILE, published_answers
from course_lib.models.checkpoints import load_minilm


def test_a_gpt2_of_the_published_width_and_depth_agrees():
    small_table = dataclasses.replace(GPT2_SIZES["gpt2"], vocab_size=211, max_seq_len=40)
    found = agreement.gpt2_differences(small_table)
    assert len(found["hidden"]) == 13
    assert max(*found["hidden"], found["logits"]) < agreement.BOUND < 0.1 < found["largest"]
    wrong = agreement.gpt2_differences(small_table, not_turned=agreement.SQUARE)
    assert wrong["hidden"][0] < agreement.BOUND < 0.01 < min(*wrong["hidden"][1:], wrong["logits"])


@needs("minilm")
def test_what_was_written_down_is_what_transformers_answers():
    answers = published_answers()
    assert torch.equal(answers.token_ids, agreement.read_sentence(answers.text))
    numbers = agreement.published_minilm(answers.token_ids)[..., : agreement.N_FIRST]
    torch.testing.assert_close(numbers.double(), answers.first_numbers, rtol=0, atol=5e-6)
    ours = look_inside(load_minilm(), answers.token_ids).hidden[..., : agreement.N_FIRST]
    assert (ours - answers.first_numbers).abs().max() < agreement.BOUND
    assert max(*answers.gpt2["hidden"], answers.gpt2["logits"]) < agreement.BOUND
    assert answers.gpt2_not_turned["logits"] > 0.01


@needs("minilm")
@pytest.mark.parametrize(("apart", "status"), [(1e-7, 0), (1e-3, 1)])
def test_the_command_and_the_file(monkeypatch, capsys, tmp_path, apart, status):
    found = {"hidden": [apart], "logits": apart}
    monkeypatch.setattr(agreement, "gpt2_differences", lambda config, **wrong: found)
    monkeypatch.setattr(agreement, "published_minilm", lambda ids: torch.zeros(7, 3, 384))
    monkeypatch.setattr(agreement, "load_minilm", lambda: None)
    same = SimpleNamespace(hidden=torch.zeros(7, 3, 384))
    monkeypatch.setattr(agreement, "look_inside", lambda model, ids: same)
    assert main(["agreement"]) == status
    assert f"scores of the next token: {apart:.1e}" in capsys.readouterr().out
    file = tmp_path / "answers.json"
    agreement.write(file)
    written, kept = (json.loads(f.read_text(encoding="utf8")) for f in (file, FILE))
    assert written.keys() == kept.keys() and written["gpt2"] == found
