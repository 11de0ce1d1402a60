import pytest
import torch
from bert_oracle import SAMPLE, any_text, fast, published, slow, with_specials
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders

from course_lib.tokenizers.bert_split import basic_split
from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS, Vocabulary
from course_lib.tokenizers.wordpiece import WordPieceTokenizer, longest_match

KNOWN = "[UNK] [CLS] [SEP] want ##want ##ed wa un runn ##ing , :".split()
SIZE = 230  # so small that some words are left in pieces
TRAINED = {low: WordPieceTokenizer.train(SAMPLE, SIZE, lower_case=low) for low in (True, False)}
ORACLES = {low: fast(TRAINED[low].vocabulary, low) for low in (True, False)}


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("unwanted", ["un", "##want", "##ed"]),
        ("unwantedx", ["[UNK]"]),  # one letter at the end, and all is lost
        ("wanted", ["want", "##ed"]),  # not wa: the longest
        ("ed", ["[UNK]"]),  # only inside a word
        ("ununun", ["[UNK]"]),
        ("", []),
    ],
)
def test_longest_match(word, pieces):
    assert longest_match(word, KNOWN) == pieces


def test_a_first_piece_of_one_letter():
    assert longest_match("aba", ["a", "b", "##a", "##b"]) == ["a", "##b", "##a"]


def test_greed_can_miss_a_way_that_exists():
    pieces = {"ab", "abc", "##cd"}
    assert longest_match("abcd", pieces) == ["[UNK]"]
    assert longest_match("abcd", pieces - {"abc"}) == ["ab", "##cd"]


@pytest.mark.parametrize(("length", "known"), [(100, True), (101, False)])
def test_words_beyond_the_limit_are_unknown(length, known):
    tokenizer = TRAINED[True]
    assert (tokenizer.tokenize("a" * length) != ["[UNK]"]) is known
    assert tokenizer.tokenize("a" * length) == ORACLES[True].tokenize("a" * length)
    short = WordPieceTokenizer(tokenizer.vocabulary, max_chars=3)
    assert short.tokenize("run runs") == [*tokenizer.tokenize("run"), "[UNK]"]


def test_the_example_of_the_released_code():
    tokenizer = WordPieceTokenizer(Vocabulary(KNOWN, required=["[UNK]"]))
    tokens = ["un", "##want", "##ed", ",", "runn", "##ing"]
    assert tokenizer.tokenize("UNwantéd,running") == tokens
    assert tokenizer.encode("UNwantéd,running") == [7, 4, 5, 10, 8, 9]


@given(text=with_specials, lower_case=st.booleans(), allow_special=st.booleans())
@settings(deadline=None)
def test_any_text_as_in_transformers(text, lower_case, allow_special):
    ours = TRAINED[lower_case].tokenize(text, allow_special=allow_special)
    oracle = ORACLES[lower_case]
    assert ours == oracle.tokenize(text, split_special_tokens=not allow_special)
    ids = TRAINED[lower_case].encode(text, allow_special=allow_special)
    assert ids == oracle.convert_tokens_to_ids(ours)


def test_a_text_as_in_the_older_tokenizer_of_transformers(tmp_path):
    text = SAMPLE.replace("Σ", "σ") + "[MASK] quizzical"
    assert TRAINED[True].encode(text) == slow(TRAINED[True].vocabulary, tmp_path).encode(
        text, add_special_tokens=False
    )


@pytest.fixture(scope="module")
def as_published():
    vocabulary = published()
    return WordPieceTokenizer(vocabulary), fast(vocabulary)


@given(text=with_specials)
@settings(deadline=None)
def test_published_vocabulary_as_in_transformers(as_published, text):
    tokenizer, oracle = as_published
    assert tokenizer.encode(text) == oracle.encode(text, add_special_tokens=False)


def test_published_vocabulary_as_in_the_older_tokenizer(as_published, tmp_path):
    tokenizer, _ = as_published
    text = SAMPLE.replace("Σ", "σ") + "unhappiness tokenization pneumonoultramicroscopic"
    assert tokenizer.encode(text) == slow(tokenizer.vocabulary, tmp_path).encode(
        text, add_special_tokens=False
    )


@given(text=any_text)
def test_the_pieces_of_a_known_word_make_the_word(text):
    for word in basic_split(text):
        pieces = longest_match(word, TRAINED[True].vocabulary)
        assert pieces == ["[UNK]"] or "".join(p.removeprefix("##") for p in pieces) == word


def test_decoding_joins_pieces_and_spaces_words():
    tokenizer = TRAINED[True]
    ids = tokenizer.encode("[CLS]Unhappy, they RAN.[SEP]")
    assert tokenizer.decode(ids) == "[CLS] unhappy , they ran . [SEP]"
    assert tokenizer.decode(torch.tensor(ids), skip_special=True) == "unhappy , they ran ."
    assert tokenizer.decode([]) == ""


@given(text=with_specials)
def test_decoding_as_in_the_published_library(text):
    tokens = TRAINED[True].tokenize(text)
    joined = decoders.WordPiece(cleanup=False).decode(tokens)
    assert TRAINED[True].decode(TRAINED[True].encode(text)) == joined


@given(text=any_text)
def test_what_is_decoded_encodes_to_the_same_ids(text):
    ids = TRAINED[True].encode(text, allow_special=False)
    assert TRAINED[True].encode(TRAINED[True].decode(ids)) == ids


@pytest.mark.parametrize("wrong", [-1, SIZE])
def test_ids_outside_the_vocabulary(wrong):
    assert TRAINED[True].vocab_size == SIZE
    with pytest.raises(ValueError, match=rf"\[0, {SIZE}\), got {wrong}"):
        TRAINED[True].decode([0, wrong])


def test_saved_and_loaded(tmp_path):
    TRAINED[True].save(tmp_path / "vocab.txt")
    again = WordPieceTokenizer.load(tmp_path / "vocab.txt", max_chars=7)
    assert again.vocabulary == TRAINED[True].vocabulary
    assert again.max_chars == 7 and again.lower_case


def test_errors():
    with pytest.raises(ValueError, match="lone surrogate"):
        TRAINED[True].encode("[MASK]\udc80")
    with pytest.raises(ValueError, match=r"'\[UNK\]'"):
        WordPieceTokenizer(Vocabulary(["a"], required=[]))
    with pytest.raises(ValueError, match="max_chars must be a whole number >= 1, got 0"):
        WordPieceTokenizer(Vocabulary(SPECIAL_TOKENS), max_chars=0)


def test_max_chars_is_whole(unchecked):
    with pytest.raises(TypeError, match="max_chars must be a whole number, got 2.5"):
        WordPieceTokenizer(TRAINED[True].vocabulary, max_chars=2.5)
