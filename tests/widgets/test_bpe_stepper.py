import base64
import re

import pytest

from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.bpe.naive import count_pairs, train_naive
from course_lib.widgets import bpe_stepper
from course_lib.widgets.bpe_stepper import MOST_CHARACTERS, PATTERNS

TEXTS = [
    "low lower newest widest " * 3,
    "aaaa aaa aaaaaa",
    "café\u0301 👩\u200d🚀 مرحبا مرحبا\n\n\tx",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", TEXTS)
def test_merges_and_pieces_are_those_of_the_library(text, pattern):
    for n in (0, 1, 5, 999):
        stepper = bpe_stepper(text, n, pattern)
        tokenizer = BPETokenizer.train(text, 256 + n, pattern=PATTERNS[pattern])
        assert stepper.merges == tokenizer.merges
        data = stepper.data
        assert data.made == [left + right for left, right in tokenizer.merges]
        whole = [b"".join(word).decode() for word in data.words]
        assert [[tokenizer.vocab[i] for i in tokenizer.encode(w)] for w in whole] == data.words
        assert sum(n * len(w) for n, w in zip(data.times, data.words, strict=True)) == len(
            tokenizer.encode(text)
        )


def test_the_pairs_are_counted_as_the_naive_loop_counts_them():
    text = "abab cdcd abcd dcba abab cdcd"
    words = [list(word.encode()) for word in re.findall(r"\s*\S+|\s+", text)]
    counts = count_pairs(words)
    data = bpe_stepper(text).data
    pairs = {(left[0], right[0]): count for left, right, count in data.pairs}
    assert pairs == counts
    tokens = [bytes([byte]) for byte in range(256)]
    (first,) = train_naive(words, tokens, 1, "greatest bytes")
    left, right, count = data.pairs[0]
    assert (left, right) == tuple(tokens[i] for i in first) == (b"c", b"d")
    last = bpe_stepper(text, 1).data.last
    assert last == (left, right, count, 2)  # a + b is as frequent, and has the smaller bytes
    assert count == counts[first] == 5


def test_the_sentence_tells_the_newest_merge():
    assert repr(bpe_stepper("abab abab ab", 1)) == (
        "Merge 1 joined “a” and “b” into “ab”: the pair was there 5 times. Now 7 tokens in 3 words,"
        " 2.33 a word; the vocabulary has 257 entries."
    )
    assert repr(bpe_stepper("")) == "There is no text: type some, or paste it."
    assert repr(bpe_stepper("a", 4)).startswith("No merge yet: 1 byte in 1 word, 1.00 a word;")


def test_more_merges_than_there_are_end_at_the_last():
    stepper = bpe_stepper("na na", 99)
    assert stepper.merges == [(b"n", b"a"), (b" ", b"na")]
    assert repr(stepper).endswith(" No pair is left: every word is one token.")


def test_the_bundle_shows_the_merges_as_they_are_now():
    stepper = bpe_stepper()
    before, _ = stepper._repr_mimebundle_()
    stepper.n_merges = 4
    after, metadata = stepper._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in after
    assert base64.b64decode(after["image/png"]).startswith(b"\x89PNG")
    assert before["image/png"] != after["image/png"]
    assert after["text/plain"] == repr(stepper) == metadata["image/png"]["alt"]
    assert after["text/plain"].startswith("Merge 4 joined ")


@pytest.mark.parametrize("text", ["", "a", "\x00\ufeff👩\u200d🚀", "中文没有空格" * 200, *TEXTS])
def test_any_text_has_a_picture(text):
    for n in (0, 3, 999):
        data, _ = bpe_stepper(text, n)._repr_mimebundle_()
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"text": "a\ud83d"}, ValueError, "text must hold no lone surrogate, got '\\\\ud83d' at"),
        ({"text": "a" * 20_001}, ValueError, "text must have at most 20,000 .* got 20,001"),
        ({"text": None}, TypeError, "text must be str, got NoneType"),
        ({"text": b"abc"}, TypeError, "text must be str, got bytes"),
        ({"n_merges": -1}, ValueError, "n_merges must be a whole number >= 0, got -1"),
        ({"n_merges": 1.5}, (TypeError, ValueError), "n_merges must be .*whole.* got 1.5"),
        ({"n_merges": True}, (TypeError, ValueError), "n_merges must be .*whole.* got True"),
        ({"pattern": "words"}, ValueError, "pattern must be one of spaces, gpt2, none; got 'w"),
        ({"pattern": None}, ValueError, "pattern must be one of spaces, gpt2, none; got None"),
        ({"pattern": ["gpt2"]}, ValueError, "pattern must be one of .* got \\['gpt2'\\]"),
    ],
)
def test_bad_arguments_are_named(as_shipped, arguments, error, message):
    with pytest.raises(error, match=message):
        as_shipped(bpe_stepper)(**arguments)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("text", "é" * (MOST_CHARACTERS + 1), "text must have at most 20,000 characters"),
        ("n_merges", -2, "n_merges must be a whole number >= 0, got -2"),
    ],
)
def test_what_cannot_be_shown_is_refused_later_too(name, value, message):
    stepper = bpe_stepper("é" * MOST_CHARACTERS, pattern="none")
    before = getattr(stepper, name)
    with pytest.raises(ValueError, match=message):
        setattr(stepper, name, value)
    assert getattr(stepper, name) == before


def test_nothing_comes_from_a_network():
    stepper = bpe_stepper()
    for text in (str(stepper._esm), str(stepper._css)):
        assert "import " not in text and "url(" not in text and "@font-face" not in text
        assert not re.search(r"//(?! )", text)
