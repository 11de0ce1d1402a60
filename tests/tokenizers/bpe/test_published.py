import base64
import json
import unicodedata

import pytest
from byte_pairs import UNICODE, gpt2_files, tiktoken_gpt2
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import packaged
from course_lib.tokenizers.bpe import load_gpt2, load_tiktoken
from course_lib.tokenizers.byte_alphabet import visible
from course_lib.tokenizers.pretokenize import compiled


@pytest.fixture(scope="module")
def gpt2():
    gpt2_files()
    return load_gpt2()


@pytest.fixture(scope="module")
def tiktoken():
    return tiktoken_gpt2()


def test_published_ids(gpt2):
    ids = [15496, 11, 995, 13, 1148, 428, 438, 257, 1332, 30]
    assert gpt2.encode("Hello, world. Is this-- a test?") == ids
    assert gpt2.encode("<|endoftext|>") == [50256]
    assert (gpt2.vocab_size, len(gpt2.merges)) == (50257, 50000)
    assert gpt2.encode("\x00") == [188]  # the byte 0 is not id 0


@settings(max_examples=400, deadline=None)
@given(text=UNICODE)
def test_tiktoken_on_any_unicode(gpt2, tiktoken, text):
    ids = gpt2.encode(text)
    assert ids == tiktoken.encode(text, allowed_special="all")
    assert gpt2.decode(ids) == text
    plain = gpt2.encode(text, allow_special=False)
    assert plain == tiktoken.encode(text, disallowed_special=())


def test_tiktoken_on_characters_of_every_script(gpt2, tiktoken):
    numbers = [*range(0x3500), *range(0xA000, 0xAD00), *range(0xF800, 0x18000, 3)]
    text = " ".join(chr(c) for c in numbers if unicodedata.category(chr(c)) not in "Cs Cn")
    assert gpt2.encode(text) == tiktoken.encode(text)


def test_letters_of_a_newer_unicode():
    """`regex` and tiktoken disagree only on characters that an older Unicode had not assigned."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for pattern in (r"\p{L}", r"\p{N}", r"\s"):
        matches = tiktoken.Encoding(
            "one", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        ).encode_ordinary
        ours = compiled(pattern).match
        for number in (*range(0xD800), *range(0xE000, 0x40000)):
            if bool(ours(chr(number))) != bool(matches(chr(number))):
                assert unicodedata.category(chr(number)) == "Cn", hex(number)


def test_long_pieces(gpt2, tiktoken):
    for text in (" " * 5000, "ab" * 3000, "\n \t" * 2000, "=-" * 3000, "中文字" * 2000):
        assert gpt2.encode(text) == tiktoken.encode(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(UNICODE, max_size=5))
def test_a_stream_of_texts(gpt2, tiktoken, texts):
    joined = "".join(texts)
    assert list(gpt2.encode_stream(texts)) == tiktoken.encode(joined, allowed_special="all")


def test_the_form_of_tiktoken_holds_the_same_merges(gpt2, tmp_path):
    path = tmp_path / "gpt2.tiktoken"
    write_ranks(path, [(gpt2.vocab[i], i) for i in range(256 + 9000)])
    loaded = load_tiktoken(path, special_tokens={"<|endoftext|>": 50256})
    assert loaded.merges == gpt2.merges[:9000]
    assert loaded.vocab == {i: gpt2.vocab[i] for i in (*range(256 + 9000), 50256)}
    assert loaded.encode("the<|endoftext|>") == gpt2.encode("the<|endoftext|>")


def write_ranks(path, ranks):
    lines = [base64.b64encode(token) + b" %d" % i for token, i in ranks]
    path.write_bytes(b"\n".join(lines) + b"\n")


BYTES = [(bytes([byte]), byte) for byte in range(256)]


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        (BYTES + [(b"abc", 256)], "no merge of tokens before it makes b'abc'"),
        (BYTES[1:], "vocab must hold all 256 single bytes, 1 are missing"),
        (BYTES[1:] + [(b"\x00a", 256)], "no merge of tokens before it makes"),
    ],
)
def test_ranks_that_do_not_fit(tmp_path, ranks, message):
    write_ranks(tmp_path / "ranks", ranks)
    with pytest.raises(ValueError, match=message):
        load_tiktoken(tmp_path / "ranks")


def test_a_line_that_is_no_rank(tmp_path):
    (tmp_path / "ranks").write_bytes(b"YQ== 0\n!!! 1\n")
    with pytest.raises(ValueError, match="ranks must hold a token and a rank in line 2, got b'!!!"):
        load_tiktoken(tmp_path / "ranks")


def small_files(folder, vocab=None, merges="#version: 0.2\na b\n"):
    from course_lib.tokenizers.byte_alphabet import CHARACTERS

    given = {char: byte for byte, char in CHARACTERS.items()} | {"ab": 256, "<|endoftext|>": 257}
    (folder / "vocab.json").write_text(json.dumps(vocab or given), encoding="utf8")
    (folder / "merges.txt").write_bytes(merges.encode("utf8"))
    return folder / "vocab.json", folder / "merges.txt"


@pytest.mark.parametrize("merges", ["#version: 0.2\na b\n", "a b", "#version: 0.2\r\na b\r\n"])
def test_other_files_in_the_same_form(tmp_path, merges):
    tokenizer = load_gpt2(*small_files(tmp_path, merges=merges))
    assert tokenizer.encode("abb<|endoftext|>") == [256, 98, 257]
    assert tokenizer.merges == [(b"a", b"b")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"merges": "a b c\n"}, "merges.txt must hold two tokens a line, got 'a b c' in 1"),
        ({"merges": "a b\n#x\n"}, "merges.txt must hold two tokens a line, got '#x' in 2"),
        ({"merges": "a c\n"}, "merge 0 makes b'ac', which is not in vocab"),
        ({"vocab": [1]}, "vocab.json must be a whole JSON file of tokens and ids"),
        ({"vocab": {"a": 0, "b": 0}}, "vocab.json must give every token an id of its own"),
        ({"vocab": {" ": 0}}, "must hold byte characters alone"),
    ],
)
def test_files_that_do_not_fit(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        load_gpt2(*small_files(tmp_path, **changes))


def test_a_truncated_vocabulary(tmp_path):
    vocab, merges = small_files(tmp_path)
    vocab.write_bytes(vocab.read_bytes()[:-9])
    with pytest.raises(ValueError, match="vocab.json must be a whole JSON file"):
        load_gpt2(vocab, merges)
    with pytest.raises(ValueError, match="must be given together, got only one"):
        load_gpt2(vocab)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(packaged, "_locate", lambda wanted: None)
    with pytest.raises(ModuleNotFoundError, match="course_lib extras pretrained"):
        load_gpt2()


def test_a_rank_that_stands_twice_is_named(tmp_path):
    path = tmp_path / "cut.tiktoken"  # what is left of "... 269" in a file cut short
    lines = [base64.b64encode(bytes([i])) + b" %d" % i for i in range(256)]
    path.write_bytes(b"\n".join([*lines, base64.b64encode(b"ab") + b" 26"]))
    with pytest.raises(ValueError, match="cut.tiktoken must hold each rank once, line 257 has 26"):
        load_tiktoken(path)


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ("#version: 0.2\n", "merges.txt must hold two tokens a line, it holds none"),
        ("#version: 0.2\na ", "vocab.json and merges.txt do not fit or are damaged: merge 0"),
        ("中 a\n", "merges.txt, line 1: '中' must hold byte characters"),
    ],
)
def test_damaged_merges_name_their_file(tmp_path, merges, message):
    vocab = {visible(bytes([i])): i for i in range(256)} | {"ab": 256}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab), encoding="utf8")
    (tmp_path / "merges.txt").write_text(merges, encoding="utf8")
    with pytest.raises(ValueError, match=message):
        load_gpt2(tmp_path / "vocab.json", tmp_path / "merges.txt")
