import pytest
from bert_oracle import SAMPLE, any_text, fast
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tokenizers.bert_pair import encode_pair, truncate_longest_first
from course_lib.tokenizers.wordpiece import WordPieceTokenizer

TOKENIZER = WordPieceTokenizer.train(SAMPLE, 230)
ORACLE = fast(TOKENIZER.vocabulary)


def tokens(encoded):
    return [TOKENIZER.vocabulary.token_of(i) for i in encoded.token_ids]


def in_transformers(first, second, max_length):
    """A batch of one: alone, an empty second text would count there as none."""
    rule = False if max_length is None else "longest_first"
    second = None if second is None else [second]
    return ORACLE([first], second, truncation=rule, max_length=max_length)


def test_one_text_and_two():
    one = encode_pair(TOKENIZER, "a 2")
    assert tokens(one) == ["[CLS]", "a", "2", "[SEP]"]
    assert one.segment_ids == (0, 0, 0, 0)
    two = encode_pair(TOKENIZER, "a 2", "h")
    assert tokens(two) == ["[CLS]", "a", "2", "[SEP]", "h", "[SEP]"]
    assert two.segment_ids == (0, 0, 0, 0, 1, 1)
    assert tokens(encode_pair(TOKENIZER, "", "")) == ["[CLS]", "[SEP]", "[SEP]"]


@given(first=any_text, second=st.none() | any_text, room=st.none() | st.integers(3, 30))
@settings(deadline=None)
def test_as_in_transformers(first, second, room):
    ours = encode_pair(TOKENIZER, first, second, max_seq_len=room)
    theirs = in_transformers(first, second, room)
    assert list(ours.token_ids) == theirs["input_ids"][0]
    assert list(ours.segment_ids) == theirs["token_type_ids"][0]


@pytest.mark.parametrize("lengths", [(a, b) for a in (0, 1, 4, 5, 9) for b in (0, 1, 4, 5, 9)])
def test_truncation_as_in_transformers(lengths):
    first, second = "a " * lengths[0], "h " * lengths[1]
    for room in range(20):
        cut = truncate_longest_first([1] * lengths[0], [2] * lengths[1], room)
        assert len(cut[0]) + len(cut[1]) == min(sum(lengths), room)
        segments = in_transformers(first, second, room + 3)["token_type_ids"][0]
        assert (len(cut[0]), len(cut[1])) == (segments.count(0) - 2, segments.count(1) - 1)


def test_what_is_cut_off_is_the_end():
    assert truncate_longest_first([1, 2, 3], [4, 5, 6, 7, 8], 5) == ([1, 2], [4, 5, 6])


def test_special_tokens_of_a_stranger_are_text():
    mask = TOKENIZER.vocabulary.id_of("[MASK]")
    assert mask in encode_pair(TOKENIZER, "a [MASK]", "b").token_ids
    assert mask not in encode_pair(TOKENIZER, "a [MASK]", "b", allow_special=False).token_ids


@pytest.mark.parametrize(("second", "needed"), [(None, 2), ("b", 3)])
def test_no_room(second, needed):
    encode_pair(TOKENIZER, "a", second, max_seq_len=needed)
    with pytest.raises(ValueError, match=rf"max_seq_len must be >= {needed}.*got {needed - 1}"):
        encode_pair(TOKENIZER, "a", second, max_seq_len=needed - 1)
    with pytest.raises(ValueError, match="room must be >= 0, got -1"):
        truncate_longest_first([1], [2], -1)


@pytest.mark.parametrize("max_seq_len", [2.5, "5"])
def test_max_seq_len_is_whole(max_seq_len, unchecked):
    with pytest.raises(TypeError, match="max_seq_len must be a whole number"):
        encode_pair(TOKENIZER, "a", max_seq_len=max_seq_len)
