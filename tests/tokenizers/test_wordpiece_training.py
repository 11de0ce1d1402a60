import random
from collections import Counter
from itertools import islice

import pytest
from bert_oracle import SAMPLE
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from course_lib.tokenizers.vocabulary import SPECIAL_TOKENS
from course_lib.tokenizers.wordpiece import longest_match
from course_lib.tokenizers.wordpiece_training import count_words, merges, train_vocabulary

HUGS = Counter({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


def as_text(counts):
    return " ".join(word for word, n in counts.items() for _ in range(n))


def published(text, vocab_size):
    """Train with the library in Rust, which calls this WordPiece and merges by frequency."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=list(SPECIAL_TOKENS), show_progress=False
    )
    made.train_from_iterator([text], trainer)
    return set(made.get_vocab())


def test_by_frequency():
    """By hand: u-g 20, u-n 16, h-ug 15, p-un 12 ..."""
    first = [(m.first, m.second, m.token, m.count) for m in islice(merges(HUGS), 4)]
    assert first == [("##u", "##g", "##ug", 20), ("##u", "##n", "##un", 16),
                     ("h", "##ug", "hug", 15), ("p", "##un", "pun", 12)]  # fmt: skip


def test_by_likelihood():
    """The example of Hugging Face's course, chapter 6: g-s with 5 / (20 * 5) comes first."""
    first, second = islice(merges(HUGS, "likelihood"), 2)
    assert (first.token, first.count, first.first_count, first.second_count) == ("##gs", 5, 20, 5)
    assert first.score == 1 / 20
    # Every pair with ##u has 1/36 then; the course takes another one of these equals.
    assert (second.first, second.second, second.score) == ("##u", "##g", 1 / 36)


@given(words=st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 50)),
       rule=st.sampled_from(["frequency", "likelihood"]), min_count=st.integers(1, 20))  # fmt: skip
def test_merges_as_the_plainest_code_finds_them(words, rule, min_count):
    """Counts everything anew for each merge."""
    cut = {w: [w[0], *("##" + c for c in w[1:])] for w in words}
    for merge in merges(words, rule, min_count):
        pieces, pairs = Counter(), Counter()
        for word, n in words.items():
            for piece in cut[word]:
                pieces[piece] += n
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += n
        score = {p: n if rule == "frequency" else n / (pieces[p[0]] * pieces[p[1]])
                 for p, n in pairs.items() if n >= min_count}  # fmt: skip
        best = min(p for p in score if score[p] == max(score.values()))
        assert (merge.first, merge.second) == best
        assert (merge.count, merge.first_count, merge.second_count) == (
            pairs[best], pieces[best[0]], pieces[best[1]])  # fmt: skip
        for word, old in cut.items():
            cut[word] = joined(old, best)
    if min_count == 1:
        assert all(len(pieces) == 1 for pieces in cut.values())


def joined(pieces, pair):
    made, i = [], 0
    while i < len(pieces):
        if tuple(pieces[i : i + 2]) == pair:
            made.append(pair[0] + pair[1][2:])
            i += 2
        else:
            made.append(pieces[i])
            i += 1
    return made


def test_the_vocabulary_in_order():
    tokens = train_vocabulary(as_text(HUGS), 17).tokens
    assert tokens[:5] == SPECIAL_TOKENS
    assert tokens[5:] == ("b", "g", "h", "n", "p", "s", "u", "##g", "##n", "##s", "##u", "##ug")
    assert len(train_vocabulary(as_text(HUGS), 999)) < 30  # no pair is left


@pytest.mark.parametrize("seed", range(6))
def test_frequency_as_in_the_published_library(seed):
    """As long as no two pairs are equal; after that the library's choice is its own."""
    draw = random.Random(seed)
    words = {"".join(draw.choices("abcd", k=5)): draw.randint(1, 999) for _ in range(20)}
    words |= {"abcd": 31}  # every letter, at the start of a word or inside one
    n = n_untied(words)
    assert n >= 2
    size = len(train_vocabulary(as_text(words), 99, min_count=10**6)) + n
    assert set(train_vocabulary(as_text(words), size).tokens) == published(as_text(words), size)


def n_untied(words):
    """How many merges are made before two pairs are equally frequent."""
    cut = {w: [w[0], *("##" + c for c in w[1:])] for w in words}
    for done in range(99):
        pairs = Counter()
        for word, n in words.items():
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += n
        (best, most), (_, second) = [*pairs.most_common(2), (None, 0), (None, 0)][:2]
        if most == second:
            return done
        cut = {word: joined(pieces, best) for word, pieces in cut.items()}


def test_every_word_seen_is_known():
    vocabulary = train_vocabulary(SAMPLE, 200)
    assert all(longest_match(word, vocabulary) != ["[UNK]"] for word in count_words(SAMPLE))


def test_rare_characters_are_left_out():
    text = "abab abab zab"
    vocabulary = train_vocabulary([text, text], 20, max_alphabet=2)
    assert "z" not in vocabulary and longest_match("zab", vocabulary) == ["[UNK]"]
    assert longest_match("abab", vocabulary) == ["abab"]


def test_case_and_special_tokens():
    vocabulary = train_vocabulary("É É", 10, lower_case=False, special_tokens=["[UNK]"])
    assert vocabulary.tokens == ("[UNK]", "É")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 15}, "vocab_size must be >= 16, 5 special tokens and 7 char.* got 15"),
        ({"rule": "meaning"}, "rule must be one of frequency, likelihood, got 'meaning'"),
        ({"min_count": 0}, "min_count must be a whole number >= 1, got 0"),
        ({"max_alphabet": 0}, "max_alphabet must be a whole number >= 1, got 0"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(ValueError, match=message):
        train_vocabulary(as_text(HUGS), **{"vocab_size": 20, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 40.5}, "vocab_size must be a whole number, got 40.5"),
        ({"min_count": 1.5}, "min_count must be a whole number, got 1.5"),
        ({"max_alphabet": 1.5}, "max_alphabet must be a whole number, got 1.5"),
        ({"special_tokens": "[UNK]"}, "special_tokens must be several texts, got the text"),
    ],
)
def test_wrong_types_are_named(changes, message, unchecked):
    with pytest.raises(TypeError, match=message):
        train_vocabulary("hug pug", **{"vocab_size": 40, **changes})
