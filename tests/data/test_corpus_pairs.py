import pytest
import torch

from course_lib.data.corpora.two_parts import Corpus
from course_lib.data.corpus_pairs import corpus_pairs, texts_of
from course_lib.data.paired_texts import FOLLOWS, STRANGER
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.pretraining import hide

CHAPTERS = [[f"Chapter {letter} has verse {digit}, café." for digit in digits]
            for letter, digits in zip("abc", ("1234", "567", "89"), strict=True)]  # fmt: skip
TRAIN = "\n\n".join("\n".join(chapter) for chapter in CHAPTERS) + "\n\n"
HELD_OUT = "Chapter d has verse 1.\nChapter d has verse 2 and Z.\n\nChapter e. It has two. 3 it is."


def corpus():
    return Corpus("small", "free", "here", TRAIN.encode(), HELD_OUT.encode())


def words(pairs, rows, i):
    ids = rows.token_ids[i][rows.real[i]]
    return pairs.tokenizer.decode(ids)


def test_lines_are_sentences_and_a_single_line_is_cut_behind_full_stops():
    assert texts_of(TRAIN) == CHAPTERS
    assert texts_of(HELD_OUT)[1] == ["Chapter e.", "It has two. 3 it is."]
    assert texts_of("One sentence alone.\n\n\n\nA b.\nC d.\n") == [["A b.", "C d."]]


def test_labels_say_whether_the_second_follows():
    pairs = corpus_pairs(corpus(), 70, 64, n_copies=40)
    rows = pairs.train.rows
    assert len(rows.labels) == 40 * (3 + 2 + 1)
    assert 0.35 < rows.labels.float().mean() < 0.65
    for i in range(len(rows.labels)):
        first, second = (s.strip() for s in words(pairs, rows, i)[6:].split("[SEP]")[:2])
        known = [sentence.lower().replace("é", "e").replace(".", " .").replace(",", " ,")
                 for chapter in CHAPTERS for sentence in chapter]  # fmt: skip
        a, b = known.index(first), known.index(second)
        same = first.split()[1] == second.split()[1]
        assert (b == a + 1 and same) if rows.labels[i] == FOLLOWS else not same


def test_copies_have_other_strangers_and_one_seed_has_the_same():
    once, again = (corpus_pairs(corpus(), 70, 64, 2, seed=3).train.rows for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(once, again, strict=True))
    other = corpus_pairs(corpus(), 70, 64, 2, seed=4).train.rows
    assert not torch.equal(once.labels, other.labels)
    assert not torch.equal(once.labels[:6], once.labels[6:])
    assert (corpus_pairs(corpus(), 70, 64, 9).train.rows.labels == STRANGER).any()


def test_long_pairs_lose_their_ends_and_both_sentences_keep_some():
    rows = corpus_pairs(corpus(), 70, 9, 1).train.rows
    assert rows.token_ids.shape[1] == 9 and rows.real.all()
    assert (rows.segment_ids.sum(dim=-1) == 4).all()  # three tokens and the last [SEP]


def test_pieces_are_learnt_from_the_training_part_alone_and_special_ones_are_never_hidden():
    pairs = corpus_pairs(corpus(), 70, 64, 1)
    tokens = pairs.tokenizer.vocabulary.tokens
    assert not any("z" in token for token in tokens)
    assert "[UNK]" in "".join(words(pairs, pairs.validation.rows, i) for i in range(2))
    hidden = hide(pairs.train.rows, pairs.masking, torch.Generator().manual_seed(0))
    selected = hidden.token_targets[hidden.token_targets != IGNORE]
    assert len(selected) and not set(selected.tolist()) & set(pairs.masking.special_ids)
    assert pairs.masking.vocab_size == len(tokens)


@pytest.mark.parametrize(("changes", "message"), [
    ({"max_seq_len": 4}, "max_seq_len must be a whole number >= 5, got 4"),
    ({"n_copies": 0}, "n_copies must be a whole number >= 1, got 0"),
    ({"vocab_size": 20}, "vocab_size must be >= "),
])  # fmt: skip
def test_bad_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        corpus_pairs(corpus(), **{"vocab_size": 70, "max_seq_len": 64, **changes})
