import math

import pytest

from course_lib.data.stories.grammar import everyday_stories
from course_lib.data.stories.masked import MASK, posteriors
from course_lib.data.stories.sampling import tell
from course_lib.data.story_floors import (
    EVERYDAY_MASKED,
    EVERYDAY_NEXT,
    EVERYDAY_ORDER,
    masked_posteriors,
    next_beliefs,
    order_beliefs,
    piece_corruption,
    score_masked,
    score_pairs,
)
from course_lib.data.story_pairs import next_part_pairs, sentence_order_pairs, story_tokenizer


@pytest.fixture(scope="module")
def again():
    return score_masked(16, seed=4_000_003)


def test_what_is_kept_is_what_is_computed(again):
    for name in ("loss", "entropy", "accuracy"):
        kept, found = getattr(EVERYDAY_MASKED.floor, name), getattr(again.floor, name)
        errors = [getattr(scores.floor, f"{name}_error") for scores in (EVERYDAY_MASKED, again)]
        assert abs(kept - found) < 4 * math.hypot(*errors), name
        assert errors[0] < 0.1 * kept, name
    assert again.floor.n_positions < EVERYDAY_MASKED.floor.n_positions / 4


def test_kinds_add_up(again):
    for scores in (again, EVERYDAY_MASKED):
        n = sum(kind.n_positions for kind in scores.kinds.values())
        assert n == scores.floor.n_positions
        right = sum(kind.accuracy * kind.n_positions for kind in scores.kinds.values()) / n
        assert right == pytest.approx(scores.floor.accuracy, abs=0.08)
        loss = sum(kind.loss * kind.n_positions for kind in scores.kinds.values()) / n
        assert loss == pytest.approx(scores.floor.loss)
        # A kept word is nearly always what it seems; a mask shows nothing.
        assert scores.kinds["kept"].accuracy > scores.kinds["masked"].accuracy
        share = scores.kinds["masked"].n_positions / n
        assert share == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / n))


def test_surprise_and_entropy_agree_in_the_long_run():
    floor = EVERYDAY_MASKED.floor
    assert abs(floor.loss - floor.entropy) < 4 * math.hypot(floor.loss_error, floor.entropy_error)


def test_the_break_between_the_parts_is_known():
    words = tell(1, 5)[0].words
    n_first = words.index(".") + 1
    seen = [MASK if at in (n_first - 1, n_first) else word for at, word in enumerate(words)]
    (here,) = masked_posteriors(seen, [n_first - 1], n_first)
    assert here == pytest.approx({".": 1.0})
    (later,) = masked_posteriors(seen, [n_first], n_first)
    how, _ = piece_corruption()
    (blind,) = posteriors(everyday_stories(), seen, [n_first], how, 1e-8)
    assert sum(later.values()) == pytest.approx(1)
    assert later[words[n_first]] >= blind[words[n_first]]


def test_any_piece_may_stand_for_a_word():
    how, pieces = piece_corruption()
    assert len(pieces) == how.n_words == story_tokenizer().vocab_size - 5
    assert not set(story_tokenizer().vocabulary.special_tokens) & set(pieces)
    words = tell(1, 6)[0].words
    seen = ["##o" if at == 3 else word for at, word in enumerate(words)]
    (found,) = masked_posteriors(seen, [3], len(tell(1, 6)[0].sentences[0]))
    assert sum(found.values()) == pytest.approx(1) and "##o" not in found


def test_pairs():
    made = next_part_pairs(n_pairs=2, n_held_out=60)
    found = score_pairs(next_beliefs(made.held_out))
    assert abs(found.accuracy - EVERYDAY_NEXT.accuracy) < 4 * math.hypot(
        found.accuracy_error, EVERYDAY_NEXT.accuracy_error
    )
    assert found.loss == pytest.approx(EVERYDAY_NEXT.loss, abs=0.06)
    order = score_pairs(order_beliefs(sentence_order_pairs(2, 50).held_out))
    errors = order.accuracy_error, EVERYDAY_ORDER.accuracy_error
    assert abs(order.accuracy - EVERYDAY_ORDER.accuracy) < 4 * math.hypot(*errors)


def test_scores_of_pairs_by_hand():
    found = score_pairs([0.5, 1.0, 0.1])
    assert found.accuracy == pytest.approx((0.5 + 1 + 0.9) / 3)
    entropy = math.log(2) - 0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    assert found.loss == pytest.approx(entropy / 3)
    assert found.n_pairs == 3
