import pytest
import torch

from course_lib.data.paired_texts import FOLLOWS
from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.order import follows
from course_lib.data.stories.reading import possible, read
from course_lib.data.stories.sampling import tell
from course_lib.data.story_pairs import (
    CUTS,
    encode_words,
    next_part_pairs,
    sentence_order_pairs,
    story_masking,
    story_tokenizer,
)

PEOPLE = ("boy", "girl")


@pytest.fixture(scope="module")
def pairs():
    return next_part_pairs(n_pairs=300, n_held_out=400)


def people(words):
    classes = everyday_stories().class_of_word
    return {word for word in words if classes.get(word) in PEOPLE}


def test_every_word_is_one_piece():
    tokenizer = story_tokenizer()
    for word in everyday_stories().vocabulary:
        assert tokenizer.tokenize(word) == [word]
    # Learnt, not listed: letters and pieces of words are there too.
    assert "##o" in tokenizer.vocabulary and tokenizer.tokenize("Tomll") == ["Tom", "##ll"]


def test_rows_are_the_pairs_as_the_tokenizer_cuts_their_text(pairs):
    tokenizer = pairs.tokenizer
    for i in (0, 1, 7, 399):
        pair, n = pairs.held_out[i], int(pairs.validation.lengths[i])
        first, second = (tokenizer.encode(" ".join(part)) for part in (pair.first, pair.second))
        row = pairs.validation.rows.token_ids[i, :n].tolist()
        assert row == [2, *first, 3, *second, 3]  # [CLS], [SEP], [SEP]
        segments = pairs.validation.rows.segment_ids[i, :n].tolist()
        assert segments == [0] * (len(first) + 2) + [1] * (len(second) + 1)
        assert (int(pairs.validation.rows.labels[i]) == FOLLOWS) == pair.follows


def test_labels_and_cuts_are_not_to_be_told_from_the_place_in_the_list(pairs):
    labels = pairs.validation.rows.labels.double()
    assert labels.mean() == 0.5
    for step in (2, 4):
        for start in range(step):
            assert abs(labels[start::step].mean() - 0.5) < 0.2
    grammar = everyday_stories()
    cuts = [len(read(grammar, pair.first).worlds) - 1 for pair in pairs.held_out]
    for pair_follows in (True, False):
        some = [c for c, p in zip(cuts, pairs.held_out, strict=True) if p.follows == pair_follows]
        assert sorted(set(some)) == list(CUTS)
        assert some.count(2) == some.count(3)


def test_what_follows_is_a_story_and_what_does_not_has_its_cast(pairs):
    grammar = everyday_stories()
    for pair in pairs.held_out:
        if pair.follows:
            assert possible(grammar, [*pair.first, *pair.second]) is None
        else:
            assert people(pair.second) <= people(pair.first)
    strange = [p for p in pairs.held_out if not p.follows]
    broken = [possible(grammar, [*p.first, *p.second]) is not None for p in strange]
    assert sum(broken) > 0.6 * len(strange)


def test_without_the_same_names_names_tell(pairs):
    other = next_part_pairs(n_pairs=100, n_held_out=100, same_names=False)
    strange = [p for p in other.held_out if not p.follows]
    assert sum(not people(p.second) <= people(p.first) for p in strange) > 0.8 * len(strange)


def test_the_exact_reader_keeps_its_promise(pairs):
    """Of the pairs that it calls true with probability p, a share p is."""
    grammar = everyday_stories()
    gap, variance = 0.0, 0.0
    for pair in pairs.held_out[:200]:
        cut = len(read(grammar, pair.first).worlds) - 1
        belief = follows(grammar, pair.first, pair.second, cut, same_names=True)
        gap, variance = gap + belief - pair.follows, variance + belief * (1 - belief)
    assert abs(gap) < 4 * variance**0.5


def test_seeds():
    one, again, other = (
        next_part_pairs(n_pairs=20, n_held_out=20, seed=seed) for seed in (0, 0, 1)
    )
    assert torch.equal(one.train.rows.token_ids, again.train.rows.token_ids)
    assert one.held_out == again.held_out != other.held_out
    told = {story.text for story in tell(20, 0)}
    whole = {" ".join((*p.first, *p.second)) for p in one.held_out if p.follows}
    assert not told & whole


def test_sentence_order():
    pairs = sentence_order_pairs(n_pairs=60, n_held_out=80)
    labels = pairs.validation.rows.labels
    assert labels.double().mean() == 0.5
    assert 0.2 < labels[::2].double().mean() < 0.8
    for pair in pairs.held_out:
        assert pair.first[-1] == pair.second[-1] == "."
        assert pair.first.count(".") == pair.second.count(".") == 1
    assert (labels == FOLLOWS).tolist() == [pair.follows for pair in pairs.held_out]


def test_masks_spare_special_pieces():
    masking = story_masking(0.4)
    special = [story_tokenizer().vocabulary.token_of(i) for i in masking.special_ids]
    assert special == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert masking.rate == 0.4 and masking.as_mask == 0.8
    assert story_masking(as_mask=1.0, as_random=0.0).as_mask == 1.0


def test_a_masked_sentence_can_be_encoded():
    encoded = encode_words("Tom had a [MASK] ball .".split())
    assert story_tokenizer().decode(encoded.token_ids) == "[CLS] Tom had a [MASK] ball . [SEP]"
    with pytest.raises(ValueError, match="token must be in the vocabulary .*, got 'giraffe'"):
        encode_words(["giraffe"])


@pytest.mark.parametrize("sizes", [{"n_pairs": 1}, {"n_held_out": 0}, {"seed": -1}])
def test_bad_sizes_are_named(sizes, as_shipped):
    with pytest.raises(ValueError, match=f"{next(iter(sizes))} must be a whole number"):
        as_shipped(next_part_pairs)(**{"n_pairs": 4, "n_held_out": 4, **sizes})
