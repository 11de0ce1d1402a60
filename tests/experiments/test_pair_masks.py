"""A pair shown word for word, and what a masking asks for."""

from functools import cache

import pytest
import torch

from course_lib.data.masking import Masking
from course_lib.data.story_pairs import next_part_pairs, story_masking, story_tokenizer
from course_lib.experiments.pair_masks import count_asked, count_asked_printed, masked_pair
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.pretraining import hide


@cache
def pairs():
    return next_part_pairs(2, 120, seed=3)


def test_a_pair_is_shown_with_what_became_of_its_words():
    rows = pairs().validation.rows
    batch = hide(rows, story_masking(), torch.Generator().manual_seed(0))
    shown = masked_pair(batch, 5)
    pair = pairs().held_out[5]
    assert shown.words == ("[CLS]", *pair.first, "[SEP]", *pair.second, "[SEP]")
    assert len(shown.seen) == len(shown.fates) == len(shown.words) == int(batch.real[5].sum())
    n_asked = int((batch.token_targets[5] != IGNORE).sum())
    assert sum(fate != "not scored" for fate in shown.fates) == n_asked
    for seen, word, fate in zip(shown.seen, shown.words, shown.fates, strict=True):
        assert (seen == "[MASK]") == (fate == "hidden")
        assert (seen == word) == (fate in ("kept", "not scored"))


def test_shares_are_those_of_the_masking():
    counts = count_asked(pairs().validation.rows, story_masking(0.4, as_mask=0.5, as_random=0.3))
    assert counts.selected == pytest.approx(0.4, abs=0.03)
    assert counts.masked == pytest.approx(0.5, abs=0.05)
    assert counts.random == pytest.approx(0.3, abs=0.05)
    assert counts.kept == pytest.approx(0.2, abs=0.05)
    assert counts.false == pytest.approx(0.12 / 0.8, abs=0.03) and counts.special == 0
    per_pair = counts.selected * (pairs().validation.n_tokens / 120 - 3)
    assert counts.a_pair == pytest.approx(per_pair)


def test_a_masking_as_printed_touches_special_tokens():
    counts = count_asked_printed(pairs().validation.rows, story_masking())
    assert counts.special > 0.1 and counts.kept == 0 and counts.masked < 0.6


def test_nothing_selected_is_nothing_false():
    vocabulary = story_tokenizer().vocabulary
    nothing = Masking(4, len(vocabulary), tuple(range(5)), rate=0.0)
    counts = count_asked(pairs().validation.rows, nothing)
    assert counts.selected == counts.false == counts.masked == counts.a_pair == 0
