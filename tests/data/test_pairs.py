import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.pairs import OTHER_TEXT, SAME_TEXT, next_sentence_pairs, sentence_order_pairs


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def numbered(lengths):
    """Texts whose sentences know their text and place."""
    return [[(t, i) for i in range(n)] for t, n in enumerate(lengths)]


some_texts = st.lists(st.integers(0, 6), min_size=2, max_size=6).filter(
    lambda lengths: sum(n > 0 for n in lengths) > 1 and max(lengths) > 1
)


@given(some_texts, st.integers(0, 1000))
def test_a_label_says_whether_the_second_follows(lengths, seed):
    pairs = next_sentence_pairs(numbered(lengths), seeded(seed))
    assert [p.first for p in pairs] == [(t, i) for t, n in enumerate(lengths) for i in range(n - 1)]
    for pair in pairs:
        (t, i), second = pair.first, pair.second
        assert (second == (t, i + 1)) == (pair.label == 0)
        if pair.label:
            assert second[0] != t


@given(st.integers(3, 8), st.integers(0, 1000))
def test_strangers_of_the_same_text(n, seed):
    pairs = next_sentence_pairs(numbered([n]), seeded(seed), negatives=SAME_TEXT, share=1)
    for pair in pairs:
        assert pair.label == 1
        assert pair.second[0] == 0
        assert pair.second not in (pair.first, (0, pair.first[1] + 1))


@given(some_texts, st.integers(0, 1000))
def test_order_pairs_are_neighbours(lengths, seed):
    for pair in sentence_order_pairs(numbered(lengths), seeded(seed)):
        first, second = (pair.second, pair.first) if pair.label else (pair.first, pair.second)
        assert second == (first[0], first[1] + 1)


@pytest.mark.parametrize(
    "pairs", [lambda t, g: next_sentence_pairs(t, g), lambda t, g: sentence_order_pairs(t, g)]
)
def test_half_of_the_pairs_are_wrong(pairs):
    labels = [pair.label for pair in pairs(numbered([51] * 100), seeded())]
    assert len(labels) == 5000
    assert abs(sum(labels) / 5000 - 0.5) < 5 * 0.5 / 5000**0.5


def test_every_stranger_occurs():
    texts = numbered([2, 3])
    drawn = {p.second for seed in range(60)
             for p in next_sentence_pairs(texts, seeded(seed), share=1)[:1]}  # fmt: skip
    assert drawn == set(texts[1])


def test_a_stranger_never_reads_like_the_true_one():
    texts = [["a", "b"], ["b", "c", "b"]]
    for seed in range(30):
        assert next_sentence_pairs(texts, seeded(seed), share=1)[0].second == "c"


def test_the_same_state_gives_the_same_pairs():
    texts = numbered([9, 9])
    one, same, other = (next_sentence_pairs(texts, seeded(s)) for s in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        ([["a"], ["b"]], {}, "two sentences or more"),
        ([], {}, "two sentences or more"),
        (["ab", "cd"], {}, r"texts\[0\] must be a list, got str"),
        ("ab", {}, "texts must be a list, got str"),
        (7, {}, "texts must be a list, got int"),
        ([["a", "b"]], {"share": 1.0}, r"another text than texts\[0\]"),
        ([["a", "b"]], {"share": 1.0, "negatives": SAME_TEXT}, "a third sentence"),
        ([["a", "b"], ["c"]], {"negatives": "nowhere"}, "negatives must be one of"),
        ([["a", "b"], ["c"]], {"share": 1.5}, "share must lie from 0 to 1"),
    ],
)
def test_bad_input_is_named(texts, settings, message, as_shipped):
    with pytest.raises((TypeError, ValueError), match=message):
        as_shipped(next_sentence_pairs)(texts, seeded(), **settings)


def test_the_default_is_berts_own():
    texts = numbered([3, 3])
    by_default = next_sentence_pairs(texts, seeded())
    assert by_default == next_sentence_pairs(texts, seeded(), negatives=OTHER_TEXT, share=0.5)
