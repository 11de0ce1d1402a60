import pytest
import torch

from course_lib.experiments.six_or_nine import (
    COIN_FLIP,
    FIRST_SCORED,
    N_LETTERS,
    SEQ_LEN,
    draw_texts,
    learn_to_read,
    reader_config,
)
from course_lib.mechanisms.losses import IGNORE, cross_entropy


def test_every_text_repeats_a_word_of_its_length_and_the_last_six_are_scored():
    token_ids, targets, lengths = draw_texts(torch.Generator().manual_seed(0), 40)
    assert token_ids.shape == targets.shape == (40, SEQ_LEN) == (40, 17)
    assert set(lengths.tolist()) == {6, 9}
    for ids, wanted, length in zip(token_ids, targets, lengths.tolist(), strict=True):
        assert torch.equal(ids[length:], ids[:-length])
        assert torch.equal(wanted[FIRST_SCORED:-1], ids[FIRST_SCORED + 1 :])
        assert wanted[-1] == ids[SEQ_LEN - length]
        assert (wanted[:FIRST_SCORED] == IGNORE).all() and (wanted[FIRST_SCORED:] >= 0).all()


def test_the_coin_flip_is_the_loss_of_half_a_chance_at_each_place():
    token_ids, targets, _ = draw_texts(torch.Generator().manual_seed(1), 4000)
    places = torch.arange(FIRST_SCORED, SEQ_LEN)
    probs = sum(
        torch.nn.functional.one_hot(token_ids[:, places - back], N_LETTERS) / 2 for back in (5, 8)
    )
    loss = cross_entropy(probs.log(), targets[:, FIRST_SCORED:])
    assert loss.item() == pytest.approx(COIN_FLIP, rel=0.01)


def test_a_model_is_as_wide_whatever_its_heads_and_learns():
    assert {reader_config(n).d_model for n in (1, 4, 16)} == {64}
    first, *_, last = learn_to_read(reader_config(), 60)
    assert first.token_ids.shape == (32, SEQ_LEN)
    assert last.step == 60 and last.loss < 1 < 3 < first.loss


def test_bad_numbers_are_named():
    with pytest.raises(ValueError, match="batch must be a whole number >= 1, got 0"):
        draw_texts(torch.Generator(), 0)
    with pytest.raises(ValueError, match="n_steps must be a whole number >= 0, got -1"):
        learn_to_read(reader_config(), -1)
