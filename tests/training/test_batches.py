import math

import pytest
import tiny
import torch

from course_lib.config import GPTConfig
from course_lib.data.whole_texts import whole_texts
from course_lib.mechanisms.losses import IGNORE
from course_lib.training.batches import draw_batch, fixed_batch, require_fits
from course_lib.training.loop import train
from course_lib.training.objectives import mean_loss, next_token_loss

TEXTS = whole_texts([[1, 2], [3, 4, 5], [6]], 12)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_long_text_gives_windows_and_short_ones_give_rows():
    windows, _ = draw_batch(torch.arange(13), 6, 4, seeded())
    assert windows.shape == (4, 6)
    rows, _ = draw_batch(TEXTS, 6, 4, seeded())
    assert (rows[:, 0] == 12).all()
    assert fixed_batch(torch.arange(13), 6, 9)[0].tolist() == [[*range(6)], [*range(6, 12)]]
    assert len(fixed_batch(TEXTS, 6, 9)[0]) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [(whole_texts([[0] * 6], 12), "validation_ids must fit into max_seq_len=6, got a row of 7"),
     (whole_texts([[13]], 12), r"validation_ids must lie in \[0, vocab_size=13\), got 12 to 13"),
     (torch.arange(14), r"validation_ids must lie in \[0, vocab_size=13\), got 0 to 13")],
)  # fmt: skip
def test_what_does_not_fit_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        require_fits(tiny.SHAPE, train_ids=TEXTS, validation_ids=text)


def test_a_model_learns_whole_texts_and_their_ends():
    shape = GPTConfig(13, 6, d_model=16, n_layers=1, n_heads=2)
    state = tiny.fresh(150, shape=shape, lr=0.03)
    records = list(train(state, TEXTS, TEXTS, sampler=lambda model, generator: "text"))
    assert records[0].train_loss == pytest.approx(math.log(13), abs=0.4)
    # Three texts are equally likely; all else of them is sure.  ln 3 nats a text of 3 tokens.
    assert records[-1].validation_loss == pytest.approx(math.log(3) / 3, abs=0.05)


def test_the_mean_loss_counts_every_scored_token_once():
    model = tiny.fresh().model
    inputs, targets = TEXTS.spread(3)
    singles = [mean_loss(model, i[None], t[None], 1) for i, t in zip(inputs, targets, strict=True)]
    counts = [(t != IGNORE).sum().item() for t in targets]
    weighted = sum(loss * n for loss, n in zip(singles, counts, strict=True)) / sum(counts)
    for batch_size in (1, 2, 3):
        assert mean_loss(model, inputs, targets, batch_size) == pytest.approx(weighted, rel=1e-5)
    model.eval()
    assert next_token_loss(model, inputs, targets).item() == pytest.approx(weighted, rel=1e-5)
