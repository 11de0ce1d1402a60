from bert_oracle import published

from course_lib.experiments import word_pieces
from course_lib.experiments.word_pieces import (
    MYTH,
    STEMS,
    TOY,
    Reading,
    one_stranger,
    published_cuts,
    readings,
    with_affixes,
)
from course_lib.tokenizers.wordpiece_training import count_words


def test_the_myth_spells_another_word():
    assert Reading("unhappiness", MYTH).spelled == "unhappyness"
    (real,) = readings("unhappiness")
    assert real.pieces == ("un", "##ha", "##pp", "##iness") and real.spelled == real.word
    assert readings("unhappyness")[0].pieces == ("unhappy", "##ness")


def test_the_toy_and_the_published_vocabulary_agree_on_it():
    vocabulary = published()
    assert "##happy" not in vocabulary and "##happy" not in TOY
    assert readings("unhappiness unhappyness", vocabulary) == readings("unhappiness unhappyness")
    assert all(piece in vocabulary for piece in TOY)


def test_one_missing_character_makes_the_whole_word_unknown():
    broken = one_stranger("unhappy", "🙂")
    assert len(broken) == 8 and not any(reading.known for reading in broken)
    assert broken[0].word == "🙂unhappy" and broken[7].word == "unhappy🙂"
    assert all(reading.known for reading in one_stranger("a", "a"))
    assert not any(r.known for r in one_stranger("unhappy", "🙂", published()))


def test_affixes_are_added_as_often_as_asked():
    counts = count_words(with_affixes("kind unkind", "un", "ness", 3))
    assert counts["unkind"] == 4 and counts["kindness"] == 3 and counts["kind"] == 1
    assert len(counts) == 1 + 2 * len(STEMS)
    assert with_affixes("kind", "un", "ness", 0) == "kind"


def test_without_the_published_vocabulary_nothing_is_cut(monkeypatch):
    monkeypatch.setattr(word_pieces, "is_installed", lambda name: False)
    assert published_cuts(["unhappiness"]) == []


def test_the_published_vocabulary_cuts_each_word():
    published()
    cuts = published_cuts(["unkindness", "running"])
    assert [cut.pieces for cut in cuts] == [("un", "##kind", "##ness"), ("running",)]
