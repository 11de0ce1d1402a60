"""Four ways to show a word: each model is right where it must be, and nowhere else."""

import pytest
import torch

from course_lib.config import BertConfig
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.story_pairs import story_tokenizer
from course_lib.experiments import false_words as module
from course_lib.experiments.false_words import (
    FALSE_WORD,
    HIDDEN,
    ITSELF,
    OTHER_PIECE,
    WAYS,
    named_right,
)
from course_lib.models.bert import BertPretraining


def copies():
    """A model whose likeliest word is the one that it reads."""
    vocab_size = len(story_tokenizer().vocabulary)
    model = BertPretraining(BertConfig(vocab_size, 96, 64, n_layers=1, n_heads=1, init_std=0.5))
    for name, weight in model.named_parameters():
        if "attn" in name or "ffn" in name or "positions" in name or "segments" in name:
            torch.nn.init.zeros_(weight)
    torch.nn.init.eye_(model.mlm_head.dense.weight)
    return model


def test_who_copies_is_right_only_where_the_word_itself_stands():
    torch.manual_seed(0)
    right = named_right(copies(), n_stories=1)
    assert tuple(right) == WAYS and len({len(each) for each in right.values()}) == 1
    assert right[ITSELF].double().mean() > 0.9
    assert not any(right[way].any() for way in (HIDDEN, FALSE_WORD, OTHER_PIECE))


def test_one_place_alone_differs_and_what_is_put_there_is_of_its_kind(monkeypatch):
    told = {}

    def listen(model, texts):
        told[WAYS[len(told)]] = texts
        return torch.zeros(len(texts), 5)

    monkeypatch.setattr(module, "model_answers", listen)
    named_right(copies(), n_stories=2, every=5)
    known = set(everyday_stories().vocabulary)
    for original, hidden, false, other in zip(*(told[way] for way in WAYS), strict=True):
        place = original[1]
        assert place % 5 == 0
        assert hidden[0][place] == "[MASK]" and false[0][place] in known
        assert false[0][place] != original[0][place]
        assert other[0][place] not in known and other[0][place][0] != "["
        for changed in (hidden, false, other):
            assert changed[1:] == original[1:]
            rest = [word for i, word in enumerate(changed[0]) if i != place]
            assert rest == [word for i, word in enumerate(original[0]) if i != place]


def test_bad_input():
    with pytest.raises(ValueError, match="every must be a whole number >= 1"):
        named_right(copies(), every=0)
