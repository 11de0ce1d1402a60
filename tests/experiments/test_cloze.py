import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments import cloze
from course_lib.experiments.fine_tuning import untrained

pytestmark = pytest.mark.usefixtures("unchecked")


def test_the_gap_stands_where_the_place_was():
    asked = next(c for c in cloze.claims(30, 1) if c.claim[1] == "was")
    words, at, cut = cloze._with_gap(asked)
    assert words[at] == "[MASK]" and words.count("[MASK]") == 1
    assert words[:cut] == asked.story
    assert " ".join(words[cut:]) == f"in the end {asked.claim[0]} was in the [MASK] ."


def test_one_who_knows_is_always_right(monkeypatch):
    tokens = story_tokenizer().vocabulary.tokens
    true = {}

    def answers(model, asked):
        probs = torch.zeros(len(asked), len(tokens))
        for row, (words, _, cut) in zip(probs, asked, strict=True):
            row[tokens.index(true[words[:cut], words[cut + 3]])] = 1
        return probs

    for claim in cloze.claims(60, 5):
        if claim.label == "entails" and claim.claim[1] == "was":
            true[claim.story, claim.claim[0]] = claim.claim[-2]
    monkeypatch.setattr(cloze, "model_answers", answers)
    model = untrained(BertConfig(len(tokens), 96, d_model=8, n_layers=1, n_heads=2))
    found = cloze.ask_by_gap(model, 10, seed=5)
    assert found.model == found.named == 1 and found.n_stories == 10
    assert 1 / 3 <= found.guess < 1


def test_one_who_names_no_place_or_the_wrong_one(monkeypatch):
    tokens = story_tokenizer().vocabulary.tokens
    places = set(cloze.everyday_stories().classes["place"])

    def answers(model, asked):
        """The story's first place, which need not be the right one."""
        probs = torch.zeros(len(asked), len(tokens))
        for row, (words, _, cut) in zip(probs, asked, strict=True):
            row[tokens.index(next(w for w in words[:cut] if w in places))] = 1
        return probs

    model = untrained(BertConfig(len(tokens), 96, d_model=8, n_layers=1, n_heads=2))
    monkeypatch.setattr(cloze, "model_answers", answers)
    found = cloze.ask_by_gap(model, 40, seed=5)
    assert found.named == 1 and 0 < found.model < 1
    nothing = tokens.index(".")
    monkeypatch.setattr(
        cloze, "model_answers", lambda m, asked: torch.eye(len(tokens))[[nothing] * len(asked)]
    )
    found = cloze.ask_by_gap(model, 10, seed=5)
    assert found.named == found.model == 0
