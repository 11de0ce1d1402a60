import pytest
from bert_oracle import published
from hypothesis import given
from hypothesis import strategies as st

from course_lib.experiments import word_cuts
from course_lib.experiments.word_cuts import (
    WAYS,
    Learnt,
    by_rank,
    characters_of,
    cut_otherwise,
    fewest,
    learn_both,
    published_fewest,
    published_worse,
    share_cut_otherwise,
    worse_than_fewest,
)
from course_lib.tokenizers.bpe import BPETokenizer
from course_lib.tokenizers.wordpiece import longest_match
from course_lib.tokenizers.wordpiece_training import Merge, count_words

TEXT = "hot hotter hottest pot potter pottery " * 4 + "the other rotten otter "
HEAT = {"hot", "h", "##otter", "##te", "##r"}
MADE = st.text("hoter", min_size=1, max_size=9)


def spelled(pieces):
    return pieces[0] + "".join(piece.removeprefix("##") for piece in pieces[1:])


def test_longest_first_may_need_more_than_the_fewest():
    assert longest_match("hotter", HEAT | {"##t"}) == ["hot", "##te", "##r"]
    assert fewest("hotter", HEAT) == ["h", "##otter"]
    assert fewest("hotx", HEAT) is None
    assert worse_than_fewest(["hotter", "hot", "hotx"], HEAT | {"##t"}) == ["hotter"]


@given(MADE)
def test_no_cut_has_fewer_pieces_than_the_fewest(word):
    learnt = learn_both(TEXT, 12, min_count=2)
    vocabulary = learnt.vocabulary(12) | set(characters_of(word))
    cuts = [longest_match(word, vocabulary), by_rank(word, learnt.ranks(12))]
    best = fewest(word, vocabulary)
    assert spelled(best) == word and all(piece in vocabulary for piece in best)
    assert all(spelled(cut) == word and len(cut) >= len(best) for cut in cuts)


def test_words_of_the_text_are_cut_by_rank_as_training_has_left_them():
    learnt = learn_both(TEXT, 1000)
    for word in count_words(TEXT):
        assert by_rank(word, learnt.ranks(1000)) == [word]  # training went on to the end
        assert by_rank(word, {}) == characters_of(word)


def test_by_rank_is_lesson_11s_way():
    """Without spaces and on one text the two learn the same merges, unless counts are equal."""
    text = "ababab abc abcd abcdabcd " * 3 + "abab ab "
    ours = learn_both(text, 3)
    bpe = BPETokenizer.train("".join(f"\n{word}" for word in text.split()), 259, pattern=r"\w+|\n")
    for word in ("abcab", "abababc"):
        pieces = [bpe.vocab[i].decode() for i in bpe.encode(word)]
        assert spelled(by_rank(word, ours.ranks(3))) == "".join(pieces) == word


def test_equal_neighbours_are_merged_from_the_left():
    ranks = {("##a", "##a"): 0}
    assert by_rank("baaa", ranks) == ["b", "##aa", "##a"]
    assert by_rank("baaaa", {**ranks, ("##aa", "##aa"): 1}) == ["b", "##aaaa"]


def test_each_way_uses_its_own_pieces_and_only_the_first_of_them():
    learnt = learn_both(TEXT, 12, min_count=2)
    cuts = learnt.at("hottest", 5)
    assert tuple(cuts.pieces) == WAYS and (cuts.word, cuts.n_merges) == ("hottest", 5)
    assert cuts.pieces["likelihood"] == longest_match("hottest", learnt.vocabulary(5, "likelihood"))
    bare = learnt.at("hottest", 0).pieces.values()
    assert all(pieces == characters_of("hottest") for pieces in bare)
    assert len(learnt.vocabulary(5)) == len(learnt.characters) + 5
    assert learnt.vocabulary(12) != learnt.vocabulary(12, "likelihood")


def test_shares_leave_out_what_is_whole_or_unknown():
    learnt = learn_both(TEXT, 6, min_count=2)
    nothing = cut_otherwise(learnt, ["hottest", "xyz"], 0)
    assert nothing == {"cut": 0.0, "training": 0.0}
    words = list(count_words(TEXT))
    longest = {word: longest_match(word, learnt.vocabulary(6)) for word in words}
    several = [word for word in words if len(longest[word]) > 1]
    assert 0 < len(several) < len(words)
    expected = sum(by_rank(word, learnt.ranks(6)) != longest[word] for word in several)
    assert cut_otherwise(learnt, words, 6)["cut"] == expected / len(several)
    with pytest.raises(ValueError, match="words must hold"):
        cut_otherwise(learnt, ["xyz"], 6)


def test_the_published_vocabulary_has_a_shorter_cut_of_inefficient():
    assert len(longest_match("inefficient", published())) == 5
    assert published_fewest("inefficient") == [["i", "##ne", "##ff", "##icient"]]
    assert published_fewest("\U0001f642") == []


def test_without_the_published_vocabulary_there_is_no_cut(monkeypatch):
    monkeypatch.setattr(word_cuts, "is_installed", lambda name: False)
    assert published_fewest("inefficient") == []
    assert published_worse(["inefficient"]) == []


def test_of_published_cuts_only_known_words_in_several_pieces_count():
    words = ["inefficient", "unkindness", "the", "a\U0001f642"]  # the last two: whole, unknown
    assert published_worse(words) == [1 / 2]


def test_a_share_counts_words_in_several_pieces():
    one, other = {"h", "##o", "##t", "hot"}, {"h", "##o", "##t", "##ot"}
    assert share_cut_otherwise(["hot", "ho", "hott", "htot"], one, other) == 2 / 3
    assert share_cut_otherwise(["ho", "hott"], one, one) == 0


def made(*pairs):
    return tuple(Merge(first, second, 1, 1, 1) for first, second in pairs)


def test_one_thing_is_changed_at_a_time():
    frequency = made(
        ("##t", "##e"), ("##o", "##t"), ("##ot", "##te"), ("##otte", "##r"), ("h", "##o")
    )
    learnt = Learnt(frozenset(characters_of("hotter")), frequency, made(("h", "##o")))
    cuts = learnt.at("hotter", 5).pieces
    assert cuts["by rank"] == ["h", "##otter"]
    assert cuts["longest first"] == ["ho", "##t", "##te", "##r"]
    assert cuts["likelihood"] == ["ho", "##t", "##t", "##e", "##r"]
    # "ho" is one piece and left out; "hot" is cut otherwise by rank alone, "her" by nothing.
    shares = cut_otherwise(learnt, ["hotter", "hot", "her", "ho"], 5)
    assert shares == {"cut": 2 / 3, "training": 1 / 3}


def test_likelihood_leaves_rare_pairs_alone():
    counts = [{merge.count for merge in learn_both(TEXT, 50, least).likelihood} for least in (1, 4)]
    assert min(counts[0]) == 1 and min(counts[1]) >= 4
