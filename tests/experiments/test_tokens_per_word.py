"""Costs in tokens: smaller vocabularies are beginnings of larger ones, and cost more."""

import pytest

from course_lib.experiments import tokens_per_word as costing
from course_lib.experiments.tokens_per_word import (
    MORE_CHINESE,
    SENTENCES,
    costs,
    first_merges,
    published_counts,
    tokens_per_word,
)
from course_lib.tokenizers.bpe import BPETokenizer

TEXT = "the cat sat on the mat, the cat ran to the station in the rain\n" * 4
BIG = BPETokenizer.train(TEXT, 280)


@pytest.mark.parametrize("n", [0, 1, 13, 24])
def test_first_merges_are_what_a_shorter_training_gives(n):
    shorter, trained = first_merges(BIG, n), BPETokenizer.train(TEXT, 256 + n)
    assert shorter.merges == trained.merges and shorter.vocab == trained.vocab
    assert shorter.encode("the cats in rain") == trained.encode("the cats in rain")


def test_more_merges_than_were_learnt_are_refused():
    with pytest.raises(ValueError, match="n_merges must be <= 24"):
        first_merges(BIG, 25)


def test_words_end_at_white_space():
    bare = first_merges(BIG, 0)
    assert tokens_per_word(bare, "ab cdé\n") == 8 / 2
    with pytest.raises(ValueError, match="text must hold a word"):
        tokens_per_word(bare, " \n")


def test_costs_fall_where_the_text_is_like_the_training_text():
    found = costs(BIG, {"same": TEXT, "digits": "12 34 56"}, [256, 264, 280])
    assert found.n_tokens == 256 and found.at(280).n_tokens == 280
    assert found.per_word["same"][0] > found.per_word["same"][1] > found.per_word["same"][2]
    assert found.per_word["digits"] == [8 / 3] * 3
    assert found.sentences["Greek"] == [len(SENTENCES["Greek"].encode("utf8"))] * 3
    assert found.sentences["English"][2] < found.sentences["English"][0]
    with pytest.raises(ValueError, match="n_tokens must be one of"):
        found.at(300)


def test_the_sentences_to_learn_from_are_others():
    ours = [s for s in SENTENCES["Chinese"].replace("？", "。").split("。") if s]
    theirs = [s for s in MORE_CHINESE.replace("？", "。").split("。") if s]
    assert len(ours) == 4 and len(theirs) > 8 and not set(ours) & set(theirs)


def test_published_counts_are_none_without_the_vocabulary(monkeypatch):
    def absent():
        raise ModuleNotFoundError("GPT-2's vocabulary is not installed.")

    monkeypatch.setattr(costing, "load_gpt2", absent)
    assert published_counts() is None
    monkeypatch.setattr(costing, "load_gpt2", lambda: first_merges(BIG, 0))
    assert published_counts() == {n: len(s.encode("utf8")) for n, s in SENTENCES.items()}
