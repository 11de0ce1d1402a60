import itertools

import pytest
import torch
from byte_pairs import UNICODE, hugging_face_trained
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.bpe import tokenizer as module
from course_lib.tokenizers.byte_alphabet import GPT2_BYTE_ORDER
from course_lib.tokenizers.pretokenize import GPT2_PATTERN

TEXT = "the theme of the thesis: there, then. Señor 中文中文 'tis don't 10 100 1000\n\n" * 3
SPECIAL = ["<|end|>", "<|end|><|end|>", "the end"]
BYTES = {i: bytes([i]) for i in range(256)}


def trained(**changes):
    return BPETokenizer.train(TEXT, **{"vocab_size": 290, "special_tokens": SPECIAL, **changes})


TRAINED = [trained(), trained(pattern=None), trained(pattern=r"\w+"),
           trained(byte_order=bytes(range(255, -1, -1)))]  # fmt: skip


@given(st.sampled_from(TRAINED), UNICODE, st.booleans())
def test_text_and_back(tokenizer, text, allow_special):
    ids = tokenizer.encode(text, allow_special=allow_special)
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode_bytes(torch.tensor(ids, dtype=torch.int64)) == text.encode("utf8")


@given(st.sampled_from(TRAINED), st.binary())
def test_any_bytes_and_back(tokenizer, data):
    assert tokenizer.decode_bytes(tokenizer.encode(data)) == data
    try:
        assert tokenizer.encode(data.decode("utf8")) == tokenizer.encode(data)
    except UnicodeDecodeError:
        assert "\ufffd" in tokenizer.decode(tokenizer.encode(data))


@given(st.sampled_from(TRAINED), st.lists(UNICODE | st.sampled_from([*SPECIAL, "<|en", "d|>"])),
       st.integers(1, 20))  # fmt: skip
def test_a_stream_has_the_ids_of_the_whole(tokenizer, texts, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        assert list(tokenizer.encode_stream(texts)) == tokenizer.encode("".join(texts))
        plain = list(tokenizer.encode_stream(texts, allow_special=False))
    assert plain == tokenizer.encode("".join(texts), allow_special=False)


def test_a_stream_may_be_endless():
    ids = TRAINED[0].encode_stream(itertools.repeat("the theme "))
    assert TRAINED[0].decode(itertools.islice(ids, 3000)).startswith("the theme the theme")


@settings(max_examples=30, deadline=None)
@given(st.lists(UNICODE, min_size=1, max_size=20), UNICODE)
def test_hugging_face_learns_and_gives_the_same(texts, other):
    theirs, merges = hugging_face_trained(texts, 60)
    ours = BPETokenizer.train(texts, 316, tie="lowest ids", byte_order=GPT2_BYTE_ORDER)
    assert ours.merges == merges
    for text in (*texts, other):
        assert ours.encode(text) == theirs.encode(text).ids


def test_hugging_face_on_a_longer_text():
    text = (TEXT + "".join(map(chr, range(32, 2000)))) * 2 + " aaaa aaaaa" * 9
    theirs, merges = hugging_face_trained([text], 400)
    ours = BPETokenizer.train(text, 656, tie="lowest ids", byte_order=GPT2_BYTE_ORDER)
    assert ours.merges == merges
    assert ours.encode(text) == theirs.encode(text).ids


def test_training_text_is_cut_at_special_tokens_texts_and_pieces():
    learnt = BPETokenizer.train(["ab<s>ab", "ab ab"], 400, special_tokens=["<s>"]).merges
    assert learnt == [(b"a", b"b"), (b" ", b"ab")]
    assert BPETokenizer.train("ab ab", 258, pattern=None).merges == [(b"a", b"b"), (b"ab", b" ")]
    assert BPETokenizer.train(["a", "b"] * 9, 400, pattern=None).merges == []


def test_sizes_and_ids():
    tokenizer = trained()
    assert tokenizer.vocab_size == len(tokenizer.vocab) == 290
    assert len(tokenizer.merges) == 290 - 256 - 3
    assert tokenizer.special_tokens == {text: 287 + i for i, text in enumerate(SPECIAL)}
    short = BPETokenizer.train("abc", 1000, special_tokens=["<s>"])
    assert short.vocab_size == 256 + 2 + 1
    assert tokenizer.encode("") == [] and tokenizer.decode([]) == ""


def test_special_tokens():
    tokenizer = trained()
    one, two, spaced = tokenizer.special_tokens.values()
    assert tokenizer.encode("<|end|><|end|><|end|>") == [two, one]
    assert tokenizer.encode("the end") == [spaced]
    plain = tokenizer.encode("<|end|>", allow_special=False)
    assert one not in plain and tokenizer.decode(plain) == "<|end|>"


def test_byte_ids_are_a_mapping():
    vocab = {300 + 2 * i: bytes([255 - i]) for i in range(256)} | {7: b"ab", 1: b"abc"}
    tokenizer = BPETokenizer(vocab, [(b"a", b"b"), (b"ab", b"c")], special_tokens=["<s>", "abc"])
    assert tokenizer.encode("abcab") == [1, 7]
    assert tokenizer.encode("\x00\xff".encode("latin1")) == [300 + 2 * 255, 300]
    assert tokenizer.special_tokens == {"<s>": 300 + 2 * 255 + 1, "abc": 1}


def test_words_are_remembered_but_not_without_end(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CACHED", 10)
    tokenizer = trained()
    text = " ".join(map(str, range(100)))
    assert tokenizer.encode(text) == tokenizer.encode(text) == trained().encode(text)
    assert len(tokenizer._cache) <= 10
    assert tokenizer.encode("a" * 1000 + " b")[-1] == trained().encode("a b")[-1]
    assert max(map(len, tokenizer._cache)) < 100


def test_ids_that_were_handed_out_do_not_change_what_is_remembered():
    tokenizer = trained()
    first = tokenizer.encode("then")
    first.append(5)
    assert tokenizer.encode("then") == first[:-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 258}, "vocab_size must be >= 259, the 256 bytes and 3 special .* got 258"),
        ({"tie": "last"}, "tie must be one of 'greatest bytes', .* got 'last'"),
        ({"pattern": "("}, r"pattern must be a regular expression, got '\('"),
        ({"special_tokens": [""]}, "special_tokens must be texts that are not empty, got ''"),
        ({"byte_order": b"abc"}, "byte_order must hold each of the 256 bytes once, got b'abc'"),
        ({"special_tokens": ["\ud800"]}, "special_tokens must hold no lone surrogate"),
    ],
)
def test_training_refuses(changes, message):
    with pytest.raises(ValueError, match=message):
        trained(**changes)


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ({0: b"a"}, [], r"all 256 single bytes, 255 are missing, first b'\\x00'"),
        (BYTES | {-1: b"ab"}, [], "vocab must map ids >= 0 to bytes, got -1"),
        (BYTES | {256: b"a"}, [], "vocab must hold b'a' once, got ids 97 and 256"),
        (BYTES, [(b"a", b"b")], "merge 0 makes b'ab', which is not in vocab"),
        (BYTES | {256: b"abc"}, [(b"ab", b"c")], "merge 0 needs b'ab', which no merge before"),
        (BYTES | {256: b"aaa", 257: b"aa"}, [(b"a", b"a"), (b"a", b"aa"), (b"aa", b"a")],
         "merge 2 makes b'aaa' for the second time"),
    ],
)  # fmt: skip
def test_a_vocabulary_that_does_not_fit(vocab, merges, message):
    with pytest.raises(ValueError, match=message):
        BPETokenizer(vocab, merges)


@pytest.mark.parametrize("special", [{"<s>": 97}, {"<s>": -1}, {"<s>": 300, "<e>": 300}])
def test_special_tokens_need_ids_of_their_own(special):
    with pytest.raises(ValueError, match="needs an id of its own"):
        BPETokenizer(BYTES, [], special_tokens=special)


def test_wrong_input(as_shipped):
    tokenizer = TRAINED[0]
    with pytest.raises(ValueError, match="lone surrogate, got .* at position 1"):
        tokenizer.encode("a\udc80")
    with pytest.raises(ValueError, match="lone surrogate"):
        list(tokenizer.encode_stream(["a\ud800"]))
    with pytest.raises(ValueError, match="ids must be in the vocabulary of 290 tokens, got 300"):
        tokenizer.decode([97, 300])
    with pytest.raises(TypeError, match="special_tokens must be several texts, got the text '<s>'"):
        BPETokenizer(BYTES, [], special_tokens="<s>")


def test_decoding_errors_may_be_chosen():
    tokenizer = TRAINED[0]
    assert tokenizer.decode([0xC3]) == "\ufffd"
    assert tokenizer.decode([0xC3], errors="ignore") == ""
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode([0xC3], errors="strict")


def test_the_pattern_is_kept():
    assert trained().pattern == GPT2_PATTERN
    assert trained(pattern=None).pattern is None


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([True], "ids must hold whole numbers, got True"),
        ([97.0], "ids must hold whole numbers, got 97.0"),
        (["97"], "ids must hold whole numbers, got '97'"),
        (97, "ids must be a list or a tensor of ids, got int"),
        (torch.tensor([97.0]), "ids must hold whole numbers, got torch.float32"),
        (torch.tensor([True]), "ids must hold whole numbers, got torch.bool"),
        (torch.tensor([[97]]), r"ids must have one axis, got shape \(1, 1\)"),
        (torch.tensor(97), r"ids must have one axis, got shape \(\)"),
    ],
)
def test_what_is_no_id_is_named(ids, message, unchecked):
    with pytest.raises((TypeError, ValueError), match=message):
        TRAINED[0].decode(ids)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"special_tokens": "<s>"}, "special_tokens must be several texts, got the text '<s>'"),
        ({"special_tokens": None}, "special_tokens must be several texts, got None"),
        ({"special_tokens": [5]}, "special_tokens must be texts that are not empty, got 5"),
        ({"vocab_size": 300.5}, "vocab_size must be a whole number, got 300.5"),
        ({"vocab_size": None}, "vocab_size must be a whole number, got None"),
    ],
)
def test_training_names_what_it_cannot_use(changes, message, unchecked):
    with pytest.raises((TypeError, ValueError), match=message):
        trained(**changes)
