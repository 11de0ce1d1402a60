import math
from collections import Counter

import pytest
import torch

from course_lib.config import BertConfig, GPTConfig
from course_lib.data.corpora.two_parts import Corpus
from course_lib.data.corpus_pairs import corpus_pairs
from course_lib.data.paired_texts import FOLLOWS
from course_lib.data.randomness import generator_for
from course_lib.models.bert import BertPretraining
from course_lib.models.gpt import GPT
from course_lib.models.shipped import Shipped
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.training.pretraining import hide
from course_lib.training.recipes.shown import _commonest, bits_per_byte, guessed, written

CHAPTERS = "\n\n".join(
    "\n".join(f"Now {name} went to {place}, and it saw it." for place in ("Sidon", "Tyre"))
    for name in ("Ahab", "Boaz", "Caleb", "Dan")
)


@pytest.fixture(scope="module")
def pairs():
    return corpus_pairs(Corpus("c", "free", "here", CHAPTERS.encode(), CHAPTERS.encode()), 64, 48)


def one_minded(pairs):
    """A BERT that always has the same order of tokens in mind: the last id first."""
    torch.manual_seed(0)
    n = pairs.tokenizer.vocab_size
    model = BertPretraining(BertConfig(n, 48, d_model=8, n_layers=1, n_heads=2)).eval()
    with torch.no_grad():
        model.mlm_head.norm.weight.zero_()
        model.mlm_head.norm.bias.zero_()
        model.mlm_head.decoder.bias.copy_(torch.arange(n))
    return Shipped("one-minded", model, pairs.tokenizer)


def hidden_tokens(pairs):
    """The truth behind each [MASK] of the pairs that follow, row by row."""
    rows = pairs.validation.spread(len(pairs.validation))
    batch = hide(rows, pairs.masking, generator_for(0, 0, "shown"))
    return [
        targets[ids == pairs.masking.mask_id].tolist()
        for ids, targets, label in zip(*batch[::3], batch.next_targets, strict=True)
        if label == FOLLOWS
    ]


def test_shares_are_counted_behind_masks_of_pairs_that_follow(pairs):
    found = guessed(one_minded(pairs), pairs.train, pairs.validation, pairs.masking)
    rows = hidden_tokens(pairs)
    truth = [token for row in rows for token in row]
    n = pairs.tokenizer.vocab_size
    assert found["n_hidden"] == len(truth) > 0
    for k in (1, 5):
        share = sum(token >= n - k for token in truth) / len(truth)
        assert found["top"][str(k)] == pytest.approx(share, abs=1e-4)
    assert len(found["examples"]) == min(5, sum(bool(row) for row in rows))


def test_the_commonest_tokens_are_those_of_the_training_text(pairs):
    ids = pairs.train.rows.token_ids[pairs.train.rows.real].tolist()
    counts = Counter(i for i in ids if i not in pairs.masking.special_ids)
    usual = [i for i, _ in counts.most_common(5)]
    truth = [token for row in hidden_tokens(pairs) for token in row]
    share = sum(token == usual[0] for token in truth) / len(truth)
    found = guessed(one_minded(pairs), pairs.train, pairs.validation, pairs.masking)
    assert found["commonest"]["1"] == pytest.approx(share, abs=1e-4)
    assert found["commonest"]["5"] >= found["commonest"]["1"]
    # [SEP] stands in the text as often as the fifth of them.
    assert not set(_commonest(pairs.train, pairs.masking, 12).tolist()) & {0, 1, 2, 3, 4}


def test_an_example_is_a_pair_as_it_was_seen(pairs):
    shipped = one_minded(pairs)
    found = guessed(shipped, pairs.train, pairs.validation, pairs.masking, n_examples=2)
    rows = [row for row in hidden_tokens(pairs) if row]
    assert len(found["examples"]) == min(2, len(rows))
    for example, row in zip(found["examples"], rows, strict=False):
        assert example["text"].startswith("[CLS] ") and "[PAD]" not in example["text"]
        assert example["text"].count("[MASK]") == len(row)
        assert example["was"] == shipped.words[row[0]]
        assert [word for word, _ in example["guesses"]] == list(shipped.words[:-6:-1])
        assert example["guesses"][0][1] == pytest.approx(1 - math.exp(-1), abs=0.01)


def test_a_gpt_goes_on_from_a_beginning_the_same_way_each_time():
    torch.manual_seed(0)
    tokenizer = BPETokenizer.train(CHAPTERS, 280)
    model = GPT(GPTConfig(280, 16, d_model=8, n_layers=1, n_heads=2))
    shipped = Shipped("small", model, tokenizer)
    found = written(shipped, "Now", n_texts=2, n_new=20)
    assert found == written(shipped, "Now", n_texts=2, n_new=20)
    first, second = found["texts"]
    assert first != second and first.startswith("Now") and len(shipped.encode(first)) > 4


def test_bits_per_byte():
    assert bits_per_byte(3 * math.log(2), 1.5) == pytest.approx(2)
