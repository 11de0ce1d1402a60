from hypothesis import given, settings
from hypothesis import strategies as st
from word_lists import FOUR_BYTES, WORDS

from course_lib.tokenizers.bpe.counted import count_words, train_counted
from course_lib.tokenizers.bpe.naive import count_pairs, merge_pair, train_naive
from course_lib.tokenizers.bpe.ties import TIE_RULES
from course_lib.tokenizers.bpe.updated import LinkedWords, train_updated


@settings(max_examples=200)
@given(WORDS, st.sampled_from(TIE_RULES), st.integers(0, 40))
def test_the_three_steps_learn_the_same(words, tie, n_merges):
    naive = train_naive(words, FOUR_BYTES, n_merges, tie)
    counted = count_words(words)
    assert train_counted(counted, FOUR_BYTES, n_merges, tie) == naive
    assert train_updated(counted, FOUR_BYTES, n_merges, tie) == naive


def test_words_are_counted_in_the_order_in_which_they_are_met():
    counts = count_words([[3, 1], [2], [3, 1]])
    assert list(counts.items()) == [((3, 1), 2), ((2,), 1)]


@given(WORDS, st.data())
def test_counts_and_places_are_those_of_the_words(words, data):
    row = LinkedWords(count_words(words))
    for new_id in range(4, 12):
        counts = count_pairs(words)
        assert {pair: n for pair, n in row.counts.items() if n} == counts
        for pair in counts:
            standing = [place for place in row.places[pair] if row.stands(pair, place)]
            assert standing == sorted(set(standing))
            assert row.first_place(pair) == standing[0]
        if not counts:
            break
        pair = data.draw(st.sampled_from(sorted(counts)))
        made = row.merge(pair, new_id)
        words = [merge_pair(word, pair, new_id) for word in words]
        assert {p for p in made if row.counts[p]} == {p for p in count_pairs(words) if new_id in p}


def test_a_merge_looks_at_its_own_places_only():
    """A text of one long word: a rare pair costs little, however long the word is."""
    row = LinkedWords({(0, 1) * 5000 + (2, 3): 1})
    row.symbols = Watched(row.symbols)
    row.merge((2, 3), 4)
    assert row.symbols.reads < 10


class Watched(list):
    reads = 0

    def __getitem__(self, i):
        self.reads += 1
        return super().__getitem__(i)
