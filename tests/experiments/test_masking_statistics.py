"""Counts of lesson 41's masking: the shares, the printed function's faults, the closed forms."""

import pytest
import torch

from course_lib.data.masking import Masked, share_ever_selected
from course_lib.experiments import masking_statistics as stats
from course_lib.mechanisms.losses import IGNORE


def test_fates_by_hand():
    before = torch.tensor([10, 11, 12, 13])
    masked = Masked(torch.tensor([10, 3, 50, 13]), torch.tensor([IGNORE, 11, 12, 13]))
    assert stats.fates_of(before, masked, mask_id=3) == ["not scored", "hidden", "swapped", "kept"]


def test_the_story_stays_and_only_scored_words_change():
    data = stats.masked_story(0.5, 0.5, 4)
    assert len(data.words) == 42 and set(data.fates) == set(stats.FATES)
    for word, seen, fate in zip(data.words, data.seen, data.fates, strict=True):
        assert (seen == word) == (fate in (stats.KEPT, stats.NOT_SCORED))
        assert (seen == "[MASK]") == (fate == stats.HIDDEN)


def test_the_ends_of_both_sliders():
    assert set(stats.masked_story(0.0).fates) == {stats.NOT_SCORED}
    assert set(stats.masked_story(1.0, 1.0).fates) == {stats.HIDDEN}
    assert stats.HIDDEN not in stats.masked_story(1.0, 0.0).fates
    assert stats.masked_story(redraw=1) != stats.masked_story(redraw=2) == stats.masked_story(
        redraw=2
    )


def test_random_texts_have_ends_and_padding():
    texts = stats.random_texts(4, 12)
    assert (texts[:, 0] == stats.CLS).all() and (texts[::2, -1] == stats.SEP).all()
    assert (texts[1::2, 9:] == stats.PAD).all() and (texts[1::2, 8] == stats.SEP).all()
    assert (texts[::2, 1:-1] > stats.MASK_ID).all()


def test_counts_by_hand():
    before = torch.tensor([[0, 10, 11, 12, 13, 1]])
    after = torch.tensor([[0, 3, 50, 12, 13, 3]])
    selected = torch.tensor([[False, True, True, True, False, True]])  # the last one is [SEP]
    found = stats.count(before, after, selected)
    assert found.selected == 0.75
    thirds = (found.mask_of_selected, found.random_of_selected, found.kept_of_selected)
    assert thirds == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert found.mask_of_changed == pytest.approx(2 / 3) and found.special_changed == 0.5


def test_ours_is_80_10_10_and_the_printed_one_is_not():
    ours, printed = stats.count_ours(stats.bert_masking(), 200), stats.count_printed(200)
    assert ours.selected == pytest.approx(0.15, abs=0.005)
    assert ours.mask_of_selected == pytest.approx(0.8, abs=0.015)
    assert ours.kept_of_selected == pytest.approx(0.1, abs=0.012)
    assert ours.special_changed == 0 and ours.mask_of_changed == pytest.approx(8 / 9, abs=0.015)
    assert printed.mask_of_changed == pytest.approx(0.5, abs=0.015)
    assert printed.kept_of_selected == 0
    assert printed.special_changed == pytest.approx(0.15, abs=0.02)


def test_closed_forms():
    assert stats.share_without_target(0.15, 8) == pytest.approx(0.85**8, abs=0.015)
    assert stats.share_without_target(0.3, 3) == pytest.approx(0.7**3, abs=0.015)
    found = stats.random_among_ordinary(stats.bert_masking(), 500_000)
    assert found == pytest.approx(0.015 / 0.88, abs=1e-3)


@pytest.mark.parametrize("n_copies", [1, 3, None])
def test_share_ever_selected(n_copies):
    found = stats.ever_selected(n_copies, n_epochs=6, n_tokens=5000)
    foretold = [share_ever_selected(0.15, min(i, n_copies or i)) for i in range(1, 7)]
    assert found == pytest.approx(foretold, abs=0.03)
    assert found == sorted(found)
