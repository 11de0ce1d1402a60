import pytest
import torch
from bert_oracle import SAMPLE, fast
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.config import BertConfig
from course_lib.data.bert_batch import bert_batch
from course_lib.models.bert import Bert
from course_lib.tokenizers.bert_pair import EncodedPair, encode_pair
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

TOKENIZER = WordPieceTokenizer.train(SAMPLE, 230)
ORACLE = fast(TOKENIZER.vocabulary)
PAIR, SINGLE = EncodedPair((5, 6, 7, 8), (0, 0, 1, 1)), EncodedPair((9, 10), (0, 0))


def test_by_hand():
    batch = bert_batch([SINGLE, PAIR, SINGLE], pad_id=3)
    assert batch.token_ids.tolist() == [[9, 10, 3, 3], [5, 6, 7, 8], [9, 10, 3, 3]]
    assert batch.real.tolist() == [[True] * 2 + [False] * 2, [True] * 4, [True] * 2 + [False] * 2]
    assert batch.segment_ids.tolist() == [[0] * 4, [0, 0, 1, 1], [0] * 4]
    assert bert_batch([SINGLE], pad_id=3, seq_len=5).token_ids.tolist() == [[9, 10, 3, 3, 3]]


words = st.lists(st.sampled_from("they were all happy café 🙂".split()), max_size=6).map(" ".join)


@given(first=words, second=words, third=words)
@settings(deadline=None)
def test_as_in_transformers(first, second, third):
    inputs = [encode_pair(TOKENIZER, first, second), encode_pair(TOKENIZER, third, first)]
    batch = bert_batch(inputs, TOKENIZER.vocabulary.id_of("[PAD]"))
    theirs = ORACLE([first, third], [second, first], padding=True, return_tensors="pt")
    assert torch.equal(batch.token_ids, theirs["input_ids"])
    assert torch.equal(batch.real, theirs["attention_mask"].bool())
    assert torch.equal(batch.segment_ids, theirs["token_type_ids"])


def test_bert_takes_it_and_padding_changes_nothing():
    model = Bert(BertConfig(vocab_size=11, max_seq_len=9, d_model=8, n_layers=2, n_heads=2)).eval()
    with torch.no_grad():
        together = model(*bert_batch([PAIR, SINGLE], pad_id=0, seq_len=7))
        alone = model(*bert_batch([SINGLE], pad_id=0))
    assert torch.allclose(together[1, :2], alone[0], atol=1e-6)


def test_errors():
    with pytest.raises(ValueError, match="inputs must hold at least one input, got none"):
        bert_batch([], pad_id=0)
    with pytest.raises(ValueError, match="seq_len must be >= 4, the longest input, got 3"):
        bert_batch([SINGLE, PAIR], pad_id=0, seq_len=3)


@pytest.mark.parametrize("pad_id", [-1, True, 1.5])
def test_padding_is_an_id(pad_id, unchecked):
    with pytest.raises((TypeError, ValueError), match="pad_id must be a whole number"):
        bert_batch([PAIR, SINGLE], pad_id)


def test_the_length_of_rows_is_whole(unchecked):
    with pytest.raises(TypeError, match="seq_len must be a whole number, got 5.0"):
        bert_batch([PAIR], 0, 5.0)
