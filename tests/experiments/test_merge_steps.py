"""What is learnt merge by merge agrees with the tokenizer; other ways of cutting do not."""

import pytest

from course_lib.experiments.merge_steps import (
    Timed,
    count_after,
    cut,
    cuts_of_training,
    longest_match,
    merge_steps,
    time_three_steps,
)
from course_lib.tokenizers.bpe import BPETokenizer

TEXT = "hot hotter hottest pot potter pottery, the hot pot of the potter; aaaa aaa aaaaaa"


def rises(steps):
    return sum(after.count > before.count for before, after in zip(steps, steps[1:], strict=False))


def test_steps_are_the_merges_of_the_tokenizer_with_their_counts():
    steps = merge_steps(TEXT, 20)
    assert [(s.left, s.right) for s in steps] == BPETokenizer.train(TEXT, 276).merges
    assert steps[0].count == count_after(TEXT, 0).most_common(1)[0][1]
    assert rises(steps) == 0


def test_ties_count_the_pairs_in_front():
    tiny = "hot hotter hottest pot potter pottery"
    for n, step in enumerate(merge_steps(tiny, 8)):
        counts = count_after(tiny, n).values()
        assert step.count == max(counts)
        assert step.ties == sum(count == step.count for count in counts)
    assert [step.ties for step in merge_steps(tiny, 2)] == [1, 2]


def test_any_pair_is_drawn_by_its_seed_and_counts_rise():
    one, again, other = (merge_steps(TEXT, 20, any_pair=seed) for seed in (1, 1, 2))
    assert one == again != other
    assert rises(one) > 0 and all(step.count > 0 for step in one)


def test_no_more_merges_than_there_are_pairs():
    assert len(merge_steps("abc", 10)) == len(merge_steps("abc", 10, any_pair=0)) == 2
    assert merge_steps("", 5) == [] and merge_steps(TEXT, 0) == []


def test_counts_before_and_after_a_merge_are_those_of_the_pencil():
    tiny = "hot hotter hottest pot potter pottery"
    before, after = count_after(tiny, 0), count_after(tiny, 1)
    assert before[b"o", b"t"] == 6 and before[b"h", b"o"] == 3
    assert after[b"ot", b"t"] == after[b"t", b"e"] == 4 == max(after.values())
    assert (b"o", b"t") not in after and (b"t", b"t") not in after and after[b" ", b"h"] == 2


@pytest.mark.parametrize("n_merges", [0, 1, 7, 40])
def test_encoding_repeats_training(n_merges):
    tokenizer = BPETokenizer.train(TEXT, 256 + n_merges)
    left = cuts_of_training(TEXT, n_merges)
    assert {word: cut(tokenizer, word) for word in left} == left
    assert all(b"".join(tokens) == word for word, tokens in left.items())


def test_training_leaves_fewer_tokens_than_bytes():
    left = cuts_of_training(TEXT, 12)
    assert len(left[b" hottest"]) < 8 and left[b","] == [b","]


def test_longest_match_takes_the_longest_from_the_left():
    tokens = {b"h", b"o", b"t", b"hot", b"te", b"e", b"r", b"otter"}
    assert longest_match(b"hotter", tokens) == [b"hot", b"te", b"r"]
    assert longest_match(b"", tokens) == []
    with pytest.raises(ValueError, match="every byte, got none for b'x'"):
        longest_match(b"hotx", tokens)


def test_the_lesson_s_word_is_cut_in_two_ways():
    tokenizer = BPETokenizer.train("hot hotter hottest pot potter pottery", 268)
    known = set(tokenizer.vocab.values())
    assert cut(tokenizer, "hotter") == [b"h", b"otter"]
    assert longest_match(b"hotter", known) == [b"hot", b"te", b"r"]


def test_three_steps_take_turns_and_learn_the_same():
    timed = time_three_steps(TEXT, 10, n_rounds=2)
    assert list(timed.seconds) == ["naive", "counted", "updated"]
    assert timed.merges["naive"] == timed.merges["counted"] == timed.merges["updated"]
    assert len(timed.merges["naive"]) == 10
    assert all(len(s) == 2 and timed.best[n] == min(s) > 0 for n, s in timed.seconds.items())


def test_faster_is_the_median_of_the_rounds():
    timed = Timed({"slow": [6.0, 4.0, 9.0], "fast": [2.0, 2.0, 1.0]}, {})
    assert timed.faster("slow", "fast") == 3.0 and timed.best == {"slow": 4.0, "fast": 1.0}


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="n_rounds"):
        time_three_steps(TEXT, 10, n_rounds=0)
